import { parseText } from "../texts.ts";
import {
  endOf,
  identityOf,
  isDone,
  nameOf,
  type Problem,
  type Seen,
  type Timeline,
  type Write,
} from "./timeline.ts";

/** Checks each complete reading. */
export function contentProblems(timeline: Timeline): readonly Problem[] {
  const { conversationId, seen } = timeline;
  return seen.flatMap((reader) => {
    const found = [
      ...madeUp(timeline, reader),
      ...(reader.isWhole
        ? [...repeated(timeline, reader), ...torn(timeline, reader), ...swapped(timeline, reader)]
        : []),
      ...returned(timeline, reader),
      ...miscounted(reader),
    ];
    return found.map(([rule, detail]) => ({
      rule,
      conversationId,
      detail: `${detail}, where ${nameOf(reader)} reads`,
    }));
  });
}

type Found = readonly (readonly [rule: string, detail: string])[];

const madeUp = ({ writersOf }: Timeline, { texts, end }: Seen): Found =>
  texts
    .filter((text) => !writersOf(text).some(({ begin }) => begin < end))
    .map((text) => ["readable messages were written", `"${text}" was never written, or was refused`]);

function repeated({ writersOf }: Timeline, { texts }: Seen): Found {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].flatMap(([text, count]) => {
    const most = new Set(writersOf(text).map(identityOf)).size;
    return count <= most ? [] : [["a write is stored once", `"${text}" is there ${count} times`] as const];
  });
}

/** Batches are complete, and a run's messages are adjacent. If messages are trimmed, the first batch may be incomplete. */
function torn({ writes, writersOf }: Timeline, { texts, nextPosition = 0, totalMessages = 0 }: Seen): Found {
  const removable = writes.filter(({ dropLast, mode }) => dropLast !== undefined || mode === "replace");
  const trims = nextPosition > totalMessages || writes.some(({ maxMessages }) => maxMessages !== undefined);
  const mayBePopped = (text: string) =>
    removable.some(
      ({ basis, texts: kept }) => basis === undefined || (basis.texts.includes(text) && !kept.includes(text)),
    );
  return texts.flatMap((text, index) => {
    const problem = () => [["batches and turns are whole", `"${text}" stands alone`] as const];
    const parsed = parseText(text);
    const before = texts[index - 1];
    if (parsed === undefined || (index === 0 && trims)) return [];
    // Messages with their own ids are only written again if they no longer exist.
    if (writersOf(text).length > 1 && writersOf(text).some(({ hasIds }) => hasIds)) return [];
    if (parsed.kind === "run") {
      const previous = before === undefined ? undefined : parseText(before);
      const isTogether = previous?.kind === "run" && previous.token === parsed.token;
      return parsed.isQuestion || isTogether ? [] : problem();
    }
    const { batch, index: place, size } = parsed;
    if (place > 0 && before !== `${batch} ${place}/${size}`) return problem();
    const next = `${batch} ${place + 2}/${size}`;
    return place + 1 === size || texts[index + 1] === next || mayBePopped(next) ? [] : problem();
  });
}

/** Messages of a write that began after another had ended come after the other's. */
function swapped({ writersOf }: Timeline, { texts }: Seen): Found {
  let earliest: Write | undefined;
  const found: (readonly [string, string])[] = [];
  for (const text of texts.toReversed()) {
    const [writer, ...others] = writersOf(text);
    if (writer === undefined || others.length > 0) continue;
    if (earliest !== undefined && endOf(earliest) < writer.begin)
      found.push([
        "messages are in the order of their writes",
        `"${text}" stands before what was there already`,
      ]);
    if (earliest === undefined || endOf(writer) < endOf(earliest)) earliest = writer;
  }
  return found;
}

/** Popped and replaced messages are gone, unless they were written again. */
function returned({ writes, writersOf, seenWith }: Timeline, { texts, begin }: Seen): Found {
  const removals = writes.filter((write) => isDone(write) && endOf(write) < begin);
  return removals.flatMap((removal) =>
    texts
      .filter((text) => isRemovedBy(removal, text))
      .flatMap((text) => {
        const writers = writersOf(text);
        const wasSeen = seenWith(text).some(({ end }) => end < removal.begin);
        const mayHaveCome = (writer: Write) =>
          writer !== removal && endOf(writer) > removal.begin && !(wasSeen && writers.length === 1);
        if (writers.some(mayHaveCome) || writers.includes(removal)) return [];
        return [["removed messages stay removed", `"${text}" was removed by ${nameOf(removal)}`] as const];
      }),
  );
}

function isRemovedBy({ mode, basis, dropLast = 0, texts: kept }: Write, text: string): boolean {
  if (mode === "replace") return !kept.includes(text);
  if (dropLast === 0 || basis === undefined) return false;
  // A text that was written twice still exists after one pop.
  return basis.texts.indexOf(text) >= basis.texts.length - dropLast;
}

function miscounted({
  isWhole,
  isThere,
  texts,
  totalMessages,
  nextPosition,
  firstPosition,
  version,
}: Seen): Found {
  const found: (readonly [string, string])[] = [];
  const wrong = (detail: string) => void found.push(["the counters are right", detail]);
  if (!isThere || totalMessages === undefined) return found;
  if (isWhole && totalMessages !== texts.length) wrong(`${totalMessages} messages are ${texts.length}`);
  if (version !== undefined && version < 1) wrong(`it has version ${version}`);
  if (nextPosition === undefined) return found;
  if (nextPosition < totalMessages) wrong(`${totalMessages} messages end at position ${nextPosition}`);
  if (isWhole && firstPosition !== undefined && firstPosition !== nextPosition - totalMessages)
    wrong(`${totalMessages} messages are at positions ${firstPosition} to ${nextPosition}`);
  return found;
}
