"""What `weiwo doctor` says, in English and Chinese. What other programs say of themselves is quoted as it is."""

from collections.abc import Callable
from functools import partial
from typing import Final

from weiwo.state.kinds import Language

Say = Callable[..., str]
"""Fills the values into a phrase of one language, by its name."""

_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "python": "python",
        "packages": "packages",
        "settings": "settings",
        "home": "home",
        "models": "models",
        "corpus": "corpus",
        "corpora": "corpora",
        "embeddings": "embeddings",
        "search": "search",
        "tools": "tools",
        "database": "database",
        "tool": "tool {}",
        "cluster_search": "search",
        "cluster_open": "open",
        "cluster_compute": "compute",
        "cluster_dates": "dates",
        "role": "model of the {}",
        "endpoint": "endpoint of {}",
        "master": "master",
        "planner": "planner",
        "executor": "executor",
        "reflection": "reflection",
        "writer": "writer",
        "verifier": "verifier",
        "on": "{} on {} {}",
        "not_installed": "{} not installed",
        "misspelt": "Weiwo does not read a variable of this name; mind the spelling",
        "see_database": "set; see database",
        "set": "set",
        "untrusted": "{}: not used, since this folder is not trusted: {}; weiwo trust shows what they would do",
        "rules_alone": "none: rules alone",
        "holds": "{}: {}, {}",
        "left_out": "left out {}: {}",
        "more_left_out": "{:,} more were left out",
        "default_corpus": "the corpus {}, as weiwo index made it",
        "sample": "the bundled sample",
        "old": "{} ({}, {}, {} old)",
        "none_yet": "none yet",
        "and_more": "and {:,} more",
        "some_vectors": "{:,} of {} have vectors of {}; weiwo index makes the others",
        "no_embeddings": "no WEIWO_EMBEDDINGS is set; beside keywords, character n-grams are searched, not meaning",
        "all_vectors": "{}: all {} have vectors",
        "at": "{} at {}",
        "rate": "{} ({:g} a second)",
        "rate_day": "{} ({:g} a second, {:,} a day)",
        "order": "in this order, not tried: {}",
        "lacks": "{} (lacks {})",
        "and": " and ",
        "comma": ", ",
        "could": "could be named in WEIWO_SEARCH: {}",
        "said_of": "{}: {}",
        "or_more": "{} or more",
        "silent": "{} does not answer ({} within {} s); {}",
        "refused_key": "{} refuses the key ({}); see OPENAI_API_KEY",
        "no_place": "{} has no such place (404); an OPENAI_BASE_URL mostly ends in /v1",
        "server_error": "{} answers with an error ({}); try later",
        "unlisted": "{} answers, but does not list {!r}",
        "answers": "{} answers",
        "installed": "{} is installed; not tried",
        "no_url": "it is no URL; correct OPENAI_BASE_URL",
        "inside": "this is a container, whose {} is the container itself; a server on the machine around it is"
        " OPENAI_BASE_URL={}, and has to listen beyond its own loopback (Ollama: OLLAMA_HOST=0.0.0.0)",
        "outside": "see that the server runs and listens beyond its own loopback (Ollama: OLLAMA_HOST=0.0.0.0), and on"
        " Linux that the container was started with --add-host={}:host-gateway",
        "containers_only": "{} is known in containers only; outside of one, write localhost in OPENAI_BASE_URL",
        "start": "start it ({}) or correct OPENAI_BASE_URL",
        "start_any": "start it or correct OPENAI_BASE_URL",
    },
    "zh": {
        "python": "python",
        "packages": "软件包",
        "settings": "设置",
        "home": "主目录",
        "models": "模型",
        "corpus": "文档",
        "corpora": "文档库",
        "embeddings": "向量",
        "search": "网络搜索",
        "tools": "工具",
        "database": "数据库",
        "tool": "工具 {}",
        "cluster_search": "搜索",
        "cluster_open": "打开",
        "cluster_compute": "计算",
        "cluster_dates": "日期",
        "role": "{}用的模型",
        "endpoint": "{} 的端点",
        "master": "主控",
        "planner": "规划",
        "executor": "阅读",
        "reflection": "反思",
        "writer": "撰写",
        "verifier": "核对",
        "on": "{}，{} {}",
        "not_installed": "{} 未安装",
        "misspelt": "Weiwo 不读取这个名称的变量；请检查拼写",
        "see_database": "已设置；见“数据库”",
        "set": "已设置",
        "untrusted": "{}：未使用，因为这个文件夹未被信任：{}；weiwo trust 会说明它们的作用",
        "rules_alone": "无：只用规则",
        "holds": "{}：{}，{}",
        "left_out": "未收入 {}：{}",
        "more_left_out": "另有 {:,} 个未收入",
        "default_corpus": "weiwo index 建立的文档库 {}",
        "sample": "自带的示例文档",
        "old": "{}（{}，{}，{}前建立）",
        "none_yet": "还没有",
        "and_more": "另有 {:,} 个",
        "some_vectors": "{1}中 {0:,} 个有 {2} 的向量；weiwo index 会补上其余的",
        "no_embeddings": "没有设置 WEIWO_EMBEDDINGS；除关键词外按字符 n-gram 搜索，不按含义",
        "all_vectors": "{}：全部 {}都有向量",
        "at": "{}，位于 {}",
        "rate": "{}（每秒 {:g} 次）",
        "rate_day": "{}（每秒 {:g} 次，每天 {:,} 次）",
        "order": "按此顺序，未试：{}",
        "lacks": "{}（缺少 {}）",
        "and": " 和 ",
        "comma": "、",
        "could": "可以写进 WEIWO_SEARCH 的还有：{}",
        "said_of": "{}：{}",
        "or_more": "{}或更多",
        "silent": "{} 没有应答（{}，{} 秒内）；{}",
        "refused_key": "{} 拒绝了密钥（{}）；见 OPENAI_API_KEY",
        "no_place": "{} 没有这个地址（404）；OPENAI_BASE_URL 通常以 /v1 结尾",
        "server_error": "{} 以错误应答（{}）；请稍后再试",
        "unlisted": "{} 有应答，但没有列出 {!r}",
        "answers": "{} 有应答",
        "installed": "{} 已安装；未试",
        "no_url": "它不是 URL；请改正 OPENAI_BASE_URL",
        "inside": "这里是容器，其中的 {} 是容器自身；宿主机上的服务器请写 OPENAI_BASE_URL={}，"
        "并让它不只监听自己的回环地址（Ollama：OLLAMA_HOST=0.0.0.0）",
        "outside": "请确认服务器已启动，并且不只监听自己的回环地址（Ollama：OLLAMA_HOST=0.0.0.0）；"
        "在 Linux 上启动容器时还要加 --add-host={}:host-gateway",
        "containers_only": "{} 只在容器内有效；在容器外，OPENAI_BASE_URL 请写 localhost",
        "start": "请启动它（{}），或改正 OPENAI_BASE_URL",
        "start_any": "请启动它，或改正 OPENAI_BASE_URL",
    },
}


def words_in(language: Language) -> Say:
    """The phrases of a language: called with the name of one and its values."""
    return partial(_fill, language)


def name_cluster(language: Language, cluster: str) -> str:
    """What tools of a cluster do; the cluster's own name where it is a user's or a server's."""
    return _WORDS[language].get(f"cluster_{cluster}", cluster)


def _fill(language: Language, name: str, *values: object) -> str:
    return _WORDS[language][name].format(*values)
