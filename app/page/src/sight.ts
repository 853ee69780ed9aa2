// What of a scrolled plan is in sight.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** An area. */
export interface Frame {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Pixels that come into sight together. */
const TILE = 200;
/** As everything is on paper. */
const EVERYTHING: Frame = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
const NOTHING: Frame = { left: 0, top: 0, right: 0, bottom: 0 };

export type Box = { current: HTMLDivElement | null };

/** An element, and how wide it is inside; 0 before that is known. */
export function useWidth(): [Box, number] {
  const box = useRef<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

/** The part of a scrolled sheet that is in sight, with a tile around it, in the sheet's own pixels; all of it unless `cut`. */
export function useSight(box: Box, scale: number, cut: boolean): Frame {
  const [frame, setFrame] = useState(NOTHING);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !cut) return undefined;
    const look = (): void => setFrame((old) => {
      const [left, right] = tiles(element.scrollLeft / scale, element.clientWidth / scale);
      const [top, bottom] = tiles(element.scrollTop / scale, Math.max(element.clientHeight, 0.74 * innerHeight) / scale); // it will be as high
      return old.left === left && old.right === right && old.top === top && old.bottom === bottom ? old : { left, top, right, bottom };
    });
    const print = (): void => setFrame(EVERYTHING);
    const watch = new ResizeObserver(look); // looks first when the browser has laid out the page anyway
    watch.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    addEventListener("beforeprint", print);
    addEventListener("afterprint", look);
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", look);
      removeEventListener("beforeprint", print);
      removeEventListener("afterprint", look);
    };
  }, [scale, cut]);
  return cut ? frame : EVERYTHING;
}

function tiles(from: number, length: number): [number, number] {
  return [(Math.floor(from / TILE) - 1) * TILE, (Math.ceil((from + length) / TILE) + 1) * TILE];
}

export const inSight = (sight: Frame, { left, top, right, bottom }: Frame): boolean =>
  left < sight.right && right > sight.left && top < sight.bottom && bottom > sight.top;
