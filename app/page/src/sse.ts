// Server-sent events out of a byte stream.

export interface ServerEvent {
  event: string;
  data: string;
  id: string | null;
}

/** Reads pieces of a `text/event-stream`; each call returns the events that are whole by then. */
export function eventParser(): (piece: string) => ServerEvent[] {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let id: string | null = null;
  let skip = false; // the second half of a CR LF that was cut
  return (piece) => {
    const found: ServerEvent[] = [];
    rest += skip && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece) skip = false;
    let from = 0;
    for (;;) {
      const end = lineEnd(rest, from);
      if (end < 0) break;
      const line = rest.slice(from, end);
      from = end + 1;
      if (rest[end] === "\r") {
        if (from === rest.length) skip = true;
        else if (rest[from] === "\n") from += 1;
      }
      if (line === "") {
        if (data.length || event) found.push({ event: event || "message", data: data.join("\n"), id });
        event = "";
        data = [];
        continue;
      }
      if (line.startsWith(":")) continue;
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "event") event = value;
      else if (name === "data") data.push(value);
      else if (name === "id" && !value.includes("\0")) id = value;
    }
    rest = rest.slice(from);
    return found;
  };
}

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  const carriage = text.indexOf("\r", from);
  if (feed < 0) return carriage;
  return carriage < 0 ? feed : Math.min(feed, carriage);
}
