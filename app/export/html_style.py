"""The style sheet of an exported page: light and dark, screen and paper."""

from typing import Final

CHART_STYLE: Final = """
.chart{max-width:100%;height:auto}.chart text{fill:var(--ink);font-size:12px}
.chart .axis{stroke:var(--dim)}.chart .grid{stroke:var(--line)}
.s0{--s:#2a6fbb}.s1{--s:#c8671b}.s2{--s:#3a8a4f}.s3{--s:#8a4fa3}.s4{--s:#b33a4a}.s5{--s:#77761f}
.chart rect,.chart circle{fill:var(--s)}.chart polyline{fill:none;stroke:var(--s);stroke-width:2}
"""

STYLE: Final = (
    CHART_STYLE
    + """
:root{color-scheme:light dark;--ink:#1d2126;--dim:#5d6672;--paper:#fff;--soft:#f4f5f7;--line:#d9dde3;--link:#1756a9;
--good:#2d7d46;--mild:#8a6d1a;--bad:#b3261e;--mark:#fff1a8}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--dim:#9aa4b1;--paper:#15181c;--soft:#1e2227;--line:#353b43;
--link:#86b7ff;--good:#6cc48a;--mild:#d6b75a;--bad:#ff8b82;--mark:#5c5213}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.6 Georgia,"Times New Roman","Noto Serif CJK SC",
"Source Han Serif SC","Songti SC",SimSun,serif;overflow-wrap:anywhere}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1,h2,h3,h4,h5,h6,.about,.question,.notes,.legend,.documents,table,summary,svg{font-family:system-ui,"Segoe UI",
"Helvetica Neue",Arial,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
h1{font-size:1.65rem;line-height:1.25;margin:0 0 .4rem}
h2{font-size:1.25rem;line-height:1.3;margin:2.2rem 0 .6rem}
h3,h4,h5,h6{font-size:1.05rem;margin:1.6rem 0 .4rem}
.about{color:var(--dim);font-size:.85rem;margin:0 0 1.4rem}
.status{border:1px solid currentColor;border-radius:1em;padding:.05em .7em;margin-right:.5em}
.status.complete{color:var(--good)}.status.partial,.status.extracts{color:var(--mild)}.status.failed{color:var(--bad)}
.notes{background:var(--soft);border-left:4px solid var(--mild);padding:.7rem 1rem;margin:0 0 1.6rem;font-size:.92rem}
.notes h2{font-size:1rem;margin:0 0 .3rem}.notes ul{margin:0;padding-left:1.1rem}
p{margin:0 0 .9rem}ul,ol{padding-left:1.5rem;margin:0 0 .9rem}li>p{margin:0 0 .3rem}
blockquote{margin:0 0 .9rem;padding:.1rem 0 .1rem 1rem;border-left:3px solid var(--line);color:var(--dim)}
blockquote>:last-child,li>:last-child{margin-bottom:0}
pre{background:var(--soft);padding:.8rem 1rem;overflow-x:auto;font-size:.82rem;line-height:1.45}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",monospace;font-size:.86em}
p code,li code,td code{background:var(--soft);padding:.1em .3em;border-radius:3px}
.wide{overflow-x:auto;margin:0 0 1.1rem}
table{border-collapse:collapse;font-size:.86rem;line-height:1.45;min-width:60%}
th,td{border-bottom:1px solid var(--line);padding:.4rem .8rem .4rem 0;text-align:left;vertical-align:top;
overflow-wrap:normal}
th{border-bottom:2px solid var(--ink)}
hr{border:0;border-top:1px solid var(--line);margin:1.6rem 0}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
sup{line-height:0;font-size:.68em;font-family:system-ui,sans-serif;margin-left:.08em}
.v{text-decoration-line:underline;text-decoration-thickness:1.5px;text-underline-offset:.22em;
text-decoration-skip-ink:none}
.quoted{text-decoration-color:var(--good);text-decoration-style:solid}
.supported{text-decoration-color:color-mix(in srgb,var(--good) 45%,transparent);text-decoration-style:solid}
.matched{text-decoration-color:var(--good);text-decoration-style:dotted}
.computed{text-decoration-color:var(--good);text-decoration-style:double}
.judgement{text-decoration-color:var(--mild);text-decoration-style:dashed}
.unsupported,.contradicted{text-decoration-color:var(--bad);text-decoration-style:wavy}
.contradicted{color:var(--bad)}
.legend{margin:1.8rem 0 0;padding:.7rem 0 0;border-top:1px solid var(--line);color:var(--dim);font-size:.8rem}
.legend ul{list-style:none;padding:0;margin:.3rem 0 0;columns:2;column-gap:2rem}.legend li{margin:0 0 .25rem;
break-inside:avoid}
.question{color:var(--dim);font-size:.92rem;margin:0 0 .5rem}
.documents,.sources{padding-left:0;list-style:none;font-size:.88rem}.documents>li{margin:0 0 1.1rem}
.sources>li{padding:.2rem 0 .2rem 2.4rem;position:relative;margin:0}
.sources .n{position:absolute;left:0;color:var(--dim)}
.sources>li:has(:target),.sources>li:target{background:var(--soft);outline:.4rem solid var(--soft)}
.where{color:var(--dim);font-size:.85em}.old{color:var(--bad)}
summary{cursor:pointer;font-size:.94em;color:var(--dim)}
details p{font-family:Georgia,"Noto Serif CJK SC",serif;white-space:pre-line;margin:.5rem 0 0;padding:.6rem .9rem;
background:var(--soft)}
mark{background:var(--mark);color:inherit}
figure{margin:1rem 0}
svg.plan{max-width:100%;height:auto;font-size:13px}
.plan rect{fill:var(--soft);stroke:var(--dim);stroke-width:1.2}.plan text{fill:var(--ink)}
.plan .value{font-weight:600}.plan .edge{fill:none;stroke:var(--dim);stroke-width:1.3}.plan .tip{fill:var(--dim)}
.plan .succeeded rect{stroke:var(--good)}.plan .succeeded .value{fill:var(--good)}
.plan .failed rect{stroke:var(--bad)}.plan .failed .value{fill:var(--bad)}
.plan .empty rect,.plan .blocked rect{stroke:var(--mild);stroke-dasharray:5 3}
.plan .empty .value,.plan .blocked .value{fill:var(--mild)}
@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--paper:#fff;--soft:#f4f5f7;--line:#bbb;--link:#000;
--good:#1d6634;--mild:#75590c;--bad:#a01c15;--mark:#fff1a8}
@page{margin:2cm}body{font-size:10.5pt}main{max-width:none;padding:0}
h2,h3,h4{break-after:avoid}table,figure,svg,pre,.sources>li{break-inside:avoid}
svg.plan{width:auto;max-height:22cm}.supported,.quoted,.matched,.computed{text-decoration:none}
details:not([open]) p{display:none}.back{display:none}.wide{overflow:visible}pre{white-space:pre-wrap}}
"""
)
