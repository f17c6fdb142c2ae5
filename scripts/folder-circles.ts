import type { Import } from "./folder-imports.ts";

/** A dependency between two entries of a folder, each a file or a folder. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly imports: readonly Import[];
}

export interface FolderCircle {
  /** The folder of the circle's entries; empty for the root folder. */
  readonly level: string;
  /** The last entry imports the first. */
  readonly steps: readonly Step[];
}

/** Returns a shortest circle for each level with circles. Files count as entries of their folder, so circles through them are found. */
export function folderCircles(imports: readonly Import[]): readonly FolderCircle[] {
  return levelsOf(imports).flatMap((level) => {
    const steps = shortestCircle(stepsAt(level, imports));
    return steps === undefined ? [] : [{ level, steps }];
  });
}

function levelsOf(imports: readonly Import[]): readonly string[] {
  const levels = new Set([""]);
  for (const { from, to } of imports) {
    for (const file of [from, to]) {
      for (let end = file.indexOf("/"); end !== -1; end = file.indexOf("/", end + 1))
        levels.add(file.slice(0, end + 1));
    }
  }
  return [...levels].sort();
}

type Steps = ReadonlyMap<string, ReadonlyMap<string, Step>>;

function stepsAt(level: string, imports: readonly Import[]): Steps {
  const entryOf = (file: string): string => file.slice(level.length).split(/(?<=\/)/, 1)[0] ?? "";
  const all = new Map<string, Map<string, Step & { imports: Import[] }>>();
  for (const each of imports) {
    if (!each.from.startsWith(level) || !each.to.startsWith(level)) continue;
    const from = entryOf(each.from);
    const to = entryOf(each.to);
    if (from === to) continue;
    const ofFrom = all.get(from) ?? new Map<string, Step & { imports: Import[] }>();
    const step = ofFrom.get(to) ?? { from, to, imports: [] };
    step.imports.push(each);
    all.set(from, ofFrom.set(to, step));
  }
  return all;
}

function shortestCircle(steps: Steps): readonly Step[] | undefined {
  let shortest: readonly Step[] | undefined;
  for (const start of steps.keys()) {
    const circle = wayBack(start, steps);
    if (circle !== undefined && (shortest === undefined || circle.length < shortest.length))
      shortest = circle;
  }
  return shortest;
}

/** The shortest path from an entry back to itself, by breadth-first search. */
function wayBack(start: string, steps: Steps): readonly Step[] | undefined {
  const seen = new Set<string>();
  let ways: readonly (readonly Step[])[] = [[]];
  while (ways.length > 0) {
    const longer: (readonly Step[])[] = [];
    for (const way of ways) {
      for (const step of steps.get(way.at(-1)?.to ?? start)?.values() ?? []) {
        if (step.to === start) return [...way, step];
        if (seen.has(step.to)) continue;
        seen.add(step.to);
        longer.push([...way, step]);
      }
    }
    ways = longer;
  }
  return undefined;
}
