// Bars of the time line, and the critical path: the chain of tasks that the run waited for.
import type { Row } from "./progress";

export interface Bar {
  row: Row;
  from: number;
  to: number;
  critical: boolean;
}

/** Bars in seconds from the first start; where a run was not watched, a task starts when its inputs have ended. */
export function bars(rows: Row[], now: number): { bars: Bar[]; watched: boolean; total: number } {
  const ran = rows.filter((row) => row.state !== "waiting" && row.state !== "blocked");
  const watched = ran.length > 0 && ran.every((row) => row.began > 0);
  const zero = Math.min(...ran.map((row) => row.began));
  const spans = new Map<string, { from: number; to: number }>();
  const left = new Map(ran.map((row) => [row.id, row]));
  while (left.size) {
    const ready = [...left.values()].filter((row) => row.upstream.every((id) => !left.has(id)));
    for (const row of ready.length ? ready : [...left.values()]) {
      const inputs = Math.max(0, ...row.upstream.map((id) => spans.get(id)?.to ?? 0));
      const from = watched ? (row.began - zero) / 1000 : inputs;
      const to = watched ? ((row.ended || now) - zero) / 1000 : from + row.seconds;
      spans.set(row.id, { from, to: Math.max(from, to) });
      left.delete(row.id);
    }
  }
  const critical = new Set<string>();
  // Spans stand in the plan's order: of tasks that ended in the same instant, the one the others led to is the last.
  const latest = [...spans].reverse().sort(([, a], [, b]) => b.to - a.to)[0]?.[0];
  let last: Row | undefined = ran.find((row) => row.id === latest);
  while (last && !critical.has(last.id)) {
    critical.add(last.id);
    const above = last.upstream.filter((id) => spans.has(id)).sort((a, b) => (spans.get(b)?.to ?? 0) - (spans.get(a)?.to ?? 0));
    last = ran.find((row) => row.id === above[0]);
  }
  const drawn = ran.map((row) => ({ row, ...(spans.get(row.id) as { from: number; to: number }), critical: critical.has(row.id) }));
  return { bars: drawn.sort((a, b) => a.from - b.from || a.to - b.to), watched, total: Math.max(0.001, ...drawn.map((bar) => bar.to)) };
}
