// A layered graph layout (Sugiyama): ranks by longest path, dummy nodes on long edges, crossings reduced by barycenters,
// positions by alternating alignment. Deterministic, and linear in nodes and edges but for a constant number of sweeps.

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Placed extends Box {
  x: number;
  y: number;
  rank: number;
}

export interface Route {
  from: string;
  to: string;
  points: [number, number][];
}

export interface Layout {
  nodes: Placed[];
  routes: Route[];
  width: number;
  height: number;
}

interface Cell {
  id: string;
  real: boolean;
  size: number; // across the ranks
  depth: number; // along them
  rank: number;
  at: number; // centre, across
  wish: number; // where its neighbours would have it
  up: Cell[];
  down: Cell[];
}

export interface Gaps {
  rank: number;
  node: number;
}

const SWEEPS = 8;

/** Lays out a directed graph. Edges that would close a circle, and those of unknown nodes, are left out. */
export function layout(boxes: Box[], edges: [string, string][], across: boolean, gaps: Gaps): Layout {
  return layoutBy(boxes, edges).draw(across, gaps);
}

interface Ordered {
  /** How wide and how high it is in a direction, at least: as if its layers were packed. */
  measure(across: boolean, gaps: Gaps): { width: number; height: number };
  draw(across: boolean, gaps: Gaps): Layout;
}

/** The nodes of a graph in their order, which is the same in both directions. */
export function layoutBy(boxes: Box[], edges: [string, string][]): Ordered {
  const known = new Map(boxes.map((box) => [box.id, box]));
  const wanted = edges.filter(([from, to]) => from !== to && known.has(from) && known.has(to));
  const { ranks, kept } = rankOf(boxes, unique(wanted));
  const cells = new Map<string, Cell>();
  for (const box of boxes) {
    cells.set(box.id, { id: box.id, real: true, size: 0, depth: 0, rank: ranks.get(box.id) ?? 0, at: 0, wish: 0, up: [], down: [] });
  }
  const chains = kept.map(([from, to]) => chain(cells, from, to));
  const layers = layersOf(cells);
  for (let sweep = 0, still = 0; sweep < SWEEPS && still < 2; sweep += 1) still = order(layers, sweep % 2 === 0) ? 0 : still + 1;
  const turn = (across: boolean): void => {
    for (const box of boxes) {
      const cell = cells.get(box.id) as Cell;
      [cell.size, cell.depth] = across ? [box.height, box.width] : [box.width, box.height];
    }
  };
  const sized = (across: boolean, gaps: Gaps, breadth: number): { width: number; height: number } => {
    const length = Math.max(0, layers.reduce((sum, layer) => sum + deepest(layer) + gaps.rank, 0) - gaps.rank);
    return across ? { width: length, height: breadth } : { width: breadth, height: length };
  };
  return {
    measure: (across, gaps) => {
      turn(across);
      return sized(across, gaps, Math.max(0, ...layers.map((layer) => pack(layer, gaps.node))));
    },
    draw: (across, gaps) => {
      turn(across);
      return { ...sized(across, gaps, place(layers, gaps.node)), ...draw(boxes, layers, chains, cells, across, gaps.rank) };
    },
  };
}

const deepest = (layer: Cell[]): number => Math.max(0, ...layer.map((cell) => cell.depth));

function unique(edges: [string, string][]): [string, string][] {
  return [...new Map(edges.map((edge) => [edge.join("\u0000"), edge])).values()];
}

function rankOf(boxes: Box[], edges: [string, string][]): { ranks: Map<string, number>; kept: [string, string][] } {
  const ends = new Map(boxes.map(({ id }) => [id, { rank: 0, waits: 0, down: [] as string[] }]));
  const of = (id: string) => ends.get(id) as { rank: number; waits: number; down: string[] };
  for (const [from, to] of edges) {
    of(from).down.push(to);
    of(to).waits += 1;
  }
  const ready = boxes.filter(({ id }) => of(id).waits === 0).map(({ id }) => id);
  for (const id of ready) { // it grows meanwhile
    const { rank, down } = of(id);
    for (const to of down) {
      const next = of(to);
      next.rank = Math.max(next.rank, rank + 1);
      next.waits -= 1;
      if (next.waits === 0) ready.push(to);
    }
  }
  const ranks = new Map([...ends].map(([id, { rank }]) => [id, rank]));
  return { ranks, kept: edges.filter(([from, to]) => of(from).rank < of(to).rank) };
}

function chain(cells: Map<string, Cell>, from: string, to: string): Cell[] {
  const first = cells.get(from) as Cell;
  const last = cells.get(to) as Cell;
  const path = [first];
  for (let rank = first.rank + 1; rank < last.rank; rank += 1) {
    const id = `${from}\u0000${to}\u0000${rank}`;
    const dummy: Cell = { id, real: false, size: 8, depth: 0, rank, at: 0, wish: 0, up: [], down: [] };
    cells.set(id, dummy);
    path.push(dummy);
  }
  path.push(last);
  for (let at = 1; at < path.length; at += 1) {
    (path[at - 1] as Cell).down.push(path[at] as Cell);
    (path[at] as Cell).up.push(path[at - 1] as Cell);
  }
  return path;
}

function layersOf(cells: Map<string, Cell>): Cell[][] {
  const layers: Cell[][] = [];
  for (const cell of cells.values()) {
    while (layers.length <= cell.rank) layers.push([]);
    (layers[cell.rank] as Cell[]).push(cell);
  }
  for (const layer of layers) layer.forEach((cell, position) => (cell.at = position));
  return layers;
}

/** Sorts each layer by where its neighbours are; whether any cell has moved. */
function order(layers: Cell[][], forward: boolean): boolean {
  let moved = false;
  const turn = forward ? layers.slice(1) : layers.slice(0, -1).reverse();
  for (const layer of turn) {
    for (const cell of layer) cell.wish = barycenter(forward ? cell.up : cell.down, cell.at);
    layer.sort((a, b) => a.wish - b.wish || a.at - b.at);
    layer.forEach((cell, position) => {
      moved ||= cell.at !== position;
      cell.at = position;
    });
  }
  return moved;
}

function barycenter(cells: Cell[], otherwise: number): number {
  if (cells.length === 0) return otherwise;
  let sum = 0;
  for (const cell of cells) sum += cell.at;
  return sum / cells.length;
}

/** Puts the cells of a layer side by side from 0 on; returns how far they reach. */
function pack(layer: Cell[], gap: number): number {
  let edge = 0;
  for (const cell of layer) {
    cell.at = edge + cell.size / 2;
    edge += cell.size + gap;
  }
  return extent(layer);
}

/** Places the cells of each layer from 0 on; returns how far they reach. */
function place(layers: Cell[][], gap: number): number {
  const widest = Math.max(0, ...layers.map((layer) => pack(layer, gap)));
  for (const layer of layers) {
    const shift = (widest - extent(layer)) / 2;
    for (const cell of layer) cell.at += shift;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    for (const layer of forward ? layers.slice(1) : layers.slice(0, -1).reverse()) settle(layer, forward, gap);
  }
  const least = Math.min(...layers.map(([first]) => (first ? first.at - first.size / 2 : 0)));
  for (const layer of layers) for (const cell of layer) cell.at -= least;
  return Math.max(0, ...layers.map(extent));
}

function extent(layer: Cell[]): number {
  const last = layer[layer.length - 1];
  return last ? last.at + last.size / 2 : 0;
}

/** Moves the cells of a layer to the middle of their neighbours, as near as order and distance allow (least squares). */
function settle(layer: Cell[], forward: boolean, gap: number): void {
  const blocks: { sum: number; count: number }[] = []; // of cells side by side
  let offset = 0;
  layer.forEach((cell, at) => {
    if (at > 0) offset += distance(layer, at, gap);
    let last = { sum: barycenter(forward ? cell.up : cell.down, cell.at) - offset, count: 1 };
    for (let before = blocks.at(-1); before && before.sum / before.count > last.sum / last.count; before = blocks.at(-1)) {
      last = { sum: last.sum + before.sum, count: last.count + before.count };
      blocks.pop();
    }
    blocks.push(last);
    cell.wish = offset;
  });
  let at = 0;
  for (const { sum, count } of blocks) {
    for (const end = at + count; at < end; at += 1) (layer[at] as Cell).at = sum / count + (layer[at] as Cell).wish;
  }
}

function distance(layer: Cell[], at: number, gap: number): number {
  return ((layer[at - 1] as Cell).size + (layer[at] as Cell).size) / 2 + gap;
}

function draw(
  boxes: Box[], layers: Cell[][], chains: Cell[][], cells: Map<string, Cell>, across: boolean, gap: number,
): Pick<Layout, "nodes" | "routes"> {
  const depths = layers.map(deepest);
  const starts: number[] = [];
  depths.reduce((along, depth) => (starts.push(along), along + depth + gap), 0);
  const point = (a: number, b: number): [number, number] => (across ? [a, b] : [b, a]);
  const nodes = boxes.map(({ id, width, height }) => {
    const { rank, at, size } = cells.get(id) as Cell;
    const [x, y] = point(starts[rank] as number, at - size / 2);
    return { id, width, height, x, y, rank };
  });
  const routes = chains.map((path) => {
    const points: [number, number][] = [];
    path.forEach((cell, at) => {
      const begin = starts[cell.rank] as number;
      if (at > 0) points.push(point(begin, cell.at));
      if (at < path.length - 1) points.push(point(begin + (cell.real ? cell.depth : (depths[cell.rank] as number)), cell.at));
    });
    return { from: (path[0] as Cell).id, to: (path[path.length - 1] as Cell).id, points };
  });
  return { nodes, routes };
}

/** A route as an SVG path: a smooth curve through its points. */
export function curve(points: [number, number][], across: boolean): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${round(first[0])} ${round(first[1])}`;
  let [px, py] = first;
  for (const [x, y] of rest) {
    if (across) path += `C${round((px + x) / 2)} ${round(py)} ${round((px + x) / 2)} ${round(y)} ${round(x)} ${round(y)}`;
    else path += `C${round(px)} ${round((py + y) / 2)} ${round(x)} ${round((py + y) / 2)} ${round(x)} ${round(y)}`;
    [px, py] = [x, y];
  }
  return path;
}

const round = (value: number): number => Math.round(value * 10) / 10;
