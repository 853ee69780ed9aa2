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
  return layoutBy(boxes, edges)(across, gaps);
}

/** The order of a graph's nodes, and what lays them out so in a direction: the order is the same for both. */
export function layoutBy(boxes: Box[], edges: [string, string][]): (across: boolean, gaps: Gaps) => Layout {
  const known = new Map(boxes.map((box) => [box.id, box]));
  const wanted = edges.filter(([from, to]) => from !== to && known.has(from) && known.has(to));
  const { ranks, kept } = rankOf(boxes, unique(wanted));
  const cells = new Map<string, Cell>();
  for (const box of boxes) {
    cells.set(box.id, { id: box.id, real: true, size: 0, depth: 0, rank: ranks.get(box.id) ?? 0, at: 0, wish: 0, up: [], down: [] });
  }
  const chains = kept.map(([from, to]) => chain(cells, from, to));
  const layers = layersOf(cells);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) order(layers, sweep % 2 === 0);
  return (across, gaps) => {
    for (const box of boxes) {
      const cell = cells.get(box.id) as Cell;
      [cell.size, cell.depth] = across ? [box.height, box.width] : [box.width, box.height];
    }
    place(layers, gaps.node);
    return draw(boxes, layers, chains, cells, across, gaps.rank);
  };
}

function unique(edges: [string, string][]): [string, string][] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}

function rankOf(boxes: Box[], edges: [string, string][]): { ranks: Map<string, number>; kept: [string, string][] } {
  const down = new Map<string, string[]>();
  const waits = new Map<string, number>(boxes.map((box) => [box.id, 0]));
  for (const [from, to] of edges) {
    down.set(from, [...(down.get(from) ?? []), to]);
    waits.set(to, (waits.get(to) ?? 0) + 1);
  }
  const ranks = new Map<string, number>();
  const queue = boxes.filter((box) => waits.get(box.id) === 0).map((box) => box.id);
  for (const id of queue) ranks.set(id, 0);
  for (let head = 0; head < queue.length; head += 1) {
    const id = queue[head] as string;
    for (const to of down.get(id) ?? []) {
      ranks.set(to, Math.max(ranks.get(to) ?? 0, (ranks.get(id) ?? 0) + 1));
      waits.set(to, (waits.get(to) ?? 0) - 1);
      if (waits.get(to) === 0) queue.push(to);
    }
  }
  const sorted = new Set(queue);
  for (const box of boxes) if (!sorted.has(box.id)) ranks.set(box.id, ranks.get(box.id) ?? 0);
  const kept = edges.filter(([from, to]) => (ranks.get(from) ?? 0) < (ranks.get(to) ?? 0));
  return { ranks, kept };
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

function order(layers: Cell[][], forward: boolean): void {
  const turn = forward ? layers.slice(1) : layers.slice(0, -1).reverse();
  for (const layer of turn) {
    for (const cell of layer) cell.wish = barycenter(forward ? cell.up : cell.down, cell.at);
    layer.sort((a, b) => a.wish - b.wish || a.at - b.at);
    layer.forEach((cell, position) => (cell.at = position));
  }
}

function barycenter(cells: Cell[], otherwise: number): number {
  if (cells.length === 0) return otherwise;
  let sum = 0;
  for (const cell of cells) sum += cell.at;
  return sum / cells.length;
}

function place(layers: Cell[][], gap: number): void {
  for (const layer of layers) {
    let edge = 0;
    for (const cell of layer) {
      cell.at = edge + cell.size / 2;
      edge += cell.size + gap;
    }
  }
  const widest = Math.max(0, ...layers.map((layer) => extent(layer)));
  for (const layer of layers) {
    const shift = (widest - extent(layer)) / 2;
    for (const cell of layer) cell.at += shift;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    for (const layer of forward ? layers.slice(1) : layers.slice(0, -1).reverse()) settle(layer, forward, gap);
  }
}

function extent(layer: Cell[]): number {
  const last = layer[layer.length - 1];
  return last ? last.at + last.size / 2 : 0;
}

/** Moves the cells of a layer to the middle of their neighbours, keeping order and distance. */
function settle(layer: Cell[], forward: boolean, gap: number): void {
  const wished = layer.map((cell) => barycenter(forward ? cell.up : cell.down, cell.at));
  // Two passes from both ends, averaged: neither end is preferred.
  const left = [...wished];
  for (let at = 1; at < layer.length; at += 1) {
    left[at] = Math.max(left[at] as number, (left[at - 1] as number) + distance(layer, at, gap));
  }
  const right = [...wished];
  for (let at = layer.length - 2; at >= 0; at -= 1) {
    right[at] = Math.min(right[at] as number, (right[at + 1] as number) - distance(layer, at + 1, gap));
  }
  layer.forEach((cell, at) => (cell.at = ((left[at] as number) + (right[at] as number)) / 2));
}

function distance(layer: Cell[], at: number, gap: number): number {
  return ((layer[at - 1] as Cell).size + (layer[at] as Cell).size) / 2 + gap;
}

function draw(
  boxes: Box[], layers: Cell[][], chains: Cell[][], cells: Map<string, Cell>, across: boolean, gap: number,
): Layout {
  const all = layers.flat();
  const least = Math.min(0, ...all.map((cell) => cell.at - cell.size / 2), Infinity);
  const shift = all.length ? -Math.min(...all.map((cell) => cell.at - cell.size / 2)) : -least;
  const starts: number[] = [];
  let along = 0;
  const depths = layers.map((layer) => Math.max(0, ...layer.map((cell) => cell.depth)));
  for (const depth of depths) {
    starts.push(along);
    along += depth + gap;
  }
  const point = (a: number, b: number): [number, number] => (across ? [a, b] : [b, a]);
  const nodes = boxes.map((box) => {
    const cell = cells.get(box.id) as Cell;
    const [x, y] = point(starts[cell.rank] as number, cell.at + shift - cell.size / 2);
    return { ...box, x, y, rank: cell.rank };
  });
  const routes = chains.map((path) => {
    const points: [number, number][] = [];
    path.forEach((cell, at) => {
      const begin = starts[cell.rank] as number;
      const middle = cell.at + shift;
      if (at > 0) points.push(point(begin, middle));
      if (at < path.length - 1) points.push(point(begin + (cell.real ? cell.depth : (depths[cell.rank] as number)), middle));
    });
    return { from: (path[0] as Cell).id, to: (path[path.length - 1] as Cell).id, points };
  });
  const length = Math.max(0, along - gap);
  const breadth = Math.max(0, ...all.map((cell) => cell.at + shift + cell.size / 2));
  return { nodes, routes, width: across ? length : breadth, height: across ? breadth : length };
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
