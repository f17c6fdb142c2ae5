import { isDone, nameOf, type Problem, type Timeline, type Write } from "./timeline.ts";

/** The messages that a pop removed, or that a replacement left out of the messages that it was decided on. */
function taken({ mode, basis, dropLast = 0, texts }: Write): readonly string[] {
  if (basis === undefined) return [];
  if (mode === "replace") return basis.texts.filter((text) => !texts.includes(text));
  return dropLast === 0 ? [] : basis.texts.slice(-dropLast);
}

/** Only one successful call pops an item, unless it was written several times. */
export function popProblems({ conversationId, writes, writersOf }: Timeline): readonly Problem[] {
  const pops = new Map<string, Write[]>();
  for (const write of writes.filter(isDone))
    for (const text of taken(write)) pops.set(text, [...(pops.get(text) ?? []), write]);
  return [...pops].flatMap(([text, by]) =>
    by.length <= writersOf(text).length
      ? []
      : [
          {
            rule: "an item is popped once",
            conversationId,
            detail: `"${text}" was popped by ${by.map(nameOf).join(" and ")}`,
          },
        ],
  );
}
