// Revisions of the plan side by side: what each kept, dropped, added and changed.
import { useState } from "preact/hooks";
import { fill, newRun, type Run } from "./progress";
import { useStore, useWords } from "./store";
import type { Plan, Vertex } from "./types";
import { toolName } from "./words";

const NOTHING_RUN = newRun(0); // references are shown by the names of their tasks

type Change = "kept" | "changed" | "dropped" | "added";

/** How a task of one plan stands to another plan. */
export function changeOf(vertex: Vertex, other: Plan, missing: Change): Change {
  const twin = other.vertices.find((one) => one.id === vertex.id);
  if (!twin) return missing;
  const content = (one: Vertex): string => JSON.stringify([one.description, one.tool_binding, one.args, one.ret, one.for_each ?? ""]);
  return content(vertex) === content(twin) ? "kept" : "changed";
}

export function Revisions({ run }: { run: Run }) {
  const t = useWords();
  const all = run.plan ? [...run.revisions, run.plan] : run.revisions;
  const [left, setLeft] = useState(all.length - 2);
  const [a, b] = [all[left] ?? all[0], all[all.length - 1]];
  if (!a || !b) return null;
  return (
    <div class="revisions">
      <div class="revision">
        <h4>
          {all.length > 2
            ? <select aria-label={t("compareWith")} value={String(left)} onChange={(event) => setLeft(Number(event.currentTarget.value))}>
                {all.slice(0, -1).map((plan, at) => <option key={at} value={String(at)}>{t("revision", plan.revision)}</option>)}
              </select>
            : t("revision", a.revision)}
        </h4>
        <Tasks plan={a} other={b} missing="dropped" />
      </div>
      <div class="revision">
        <h4>{t("revision", b.revision)}</h4>
        <Tasks plan={b} other={a} missing="added" />
      </div>
    </div>
  );
}

function Tasks({ plan, other, missing }: { plan: Plan; other: Plan; missing: Change }) {
  const t = useWords();
  const language = useStore((now) => now.language);
  return (
    <ol>
      {plan.vertices.map((vertex) => {
        const change = changeOf(vertex, other, missing);
        return (
          <li key={vertex.id} class={change} data-change={change}>
            <span class="node-tool">{toolName(language, vertex.tool_binding)}</span> <span class="tag">{t(change)}</span>
            <p>{fill(NOTHING_RUN, vertex.description)}</p>
          </li>
        );
      })}
    </ol>
  );
}
