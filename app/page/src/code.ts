// Colours of code: comments, strings, numbers and words that languages keep for themselves. One pass, each piece bounded.

export interface Piece {
  kind: "" | "comment" | "string" | "number" | "keyword";
  text: string;
}

const KEYWORDS = new Set(
  (
    "abstract and as assert async await break case catch class const continue def default defer del do elif else enum " +
    "except export extends false finally fn for from func function go goto if impl implements import in interface is " +
    "lambda let loop match mod mut namespace new nil none not null or package pass private protected pub public raise " +
    "return self static struct super switch then this throw trait true try type typeof use using var void when where " +
    "while with yield select insert update delete create table join on group order by having limit set values into"
  ).split(" "),
);
/** Where `#` begins a comment, and where `--` does; in all others `//` and `a slash and a star` do. */
const HASH = /^(?:py|python|sh|bash|zsh|shell|console|yaml|yml|toml|ruby|rb|r|perl|make|makefile|dockerfile|ini|)$/;
const DASHES = /^(?:sql|lua|haskell|hs)$/;
const STRING = `"(?:[^"\\\\\\n]|\\\\.){0,2000}"|'(?:[^'\\\\\\n]|\\\\.){0,2000}'`;
const REST = "\\b\\d[\\w.]{0,40}|[A-Za-z_$][\\w$]{0,80}";
const LONGEST = 50_000;

/** Divides code into pieces that make it up again; what is too long, or in no language, is one piece. */
export function pieces(code: string, language: string): Piece[] {
  const name = language.trim().toLowerCase().split(/\s/, 1)[0] ?? "";
  if (code.length > LONGEST || /^(?:text|txt|plain|plaintext|diff|md|markdown)$/.test(name)) return [{ kind: "", text: code }];
  const comment = HASH.test(name) ? "(?<![^\\s])#[^\\n]*" : DASHES.test(name) ? "--[^\\n]*" : "//[^\\n]*|/\\*[^]{0,1000}?\\*/";
  const found: Piece[] = [];
  let at = 0;
  for (const match of code.matchAll(new RegExp(`(${comment})|(${STRING})|${REST}`, "g"))) {
    const [text, note, quoted] = match;
    const kind = note ? "comment" : quoted ? "string" : /^\d/.test(text) ? "number" : KEYWORDS.has(text.toLowerCase()) ? "keyword" : "";
    if (!kind) continue;
    if (match.index > at) found.push({ kind: "", text: code.slice(at, match.index) });
    found.push({ kind, text });
    at = match.index + text.length;
  }
  if (at < code.length) found.push({ kind: "", text: code.slice(at) });
  return found;
}
