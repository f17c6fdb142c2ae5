import { endOf, identityOf, nameOf, type Problem, type Seen, type Timeline, type Write } from "./timeline.ts";

/** The most unseen writes in a row that are searched for; more have too many orders. */
const MOST_STEPS = 3;
/** The most orders that are tried. */
const MOST_TRIED = 5_000;

interface State {
  readonly version: number;
  readonly texts: readonly string[];
}

/** A state that was read, and the moments between which it must have begun and ended. */
interface SeenState extends State {
  readonly seen: Seen;
  readonly until: number;
  readonly reached: number;
}

/**
 * Two states of an incarnation with versions `n` apart must be explained by `n` writes in some order. The model is a list
 * that each write changes as the contract says.
 */
export function stepProblems(timeline: Timeline): readonly Problem[] {
  const { conversationId } = timeline;
  const incarnations = new Set(
    timeline.seen.flatMap(({ isThere, incarnation }) => (isThere ? [incarnation] : [])),
  );
  incarnations.delete(undefined);
  return [...incarnations].flatMap((incarnation) => {
    const states = statesOf(timeline, incarnation ?? "");
    return states.flatMap((state, index) => {
      const before = states[index - 1];
      const starts = before === undefined ? startsOf(timeline) : [before];
      if (starts.some((start) => isExplained(timeline, { start, state, incarnation: incarnation ?? "" })))
        return [];
      const from =
        before === undefined ? "nothing" : `version ${before.version} ${JSON.stringify(before.texts)}`;
      const detail = `no order of writes leads from ${from} to version ${state.version} ${JSON.stringify(state.texts)}, which ${nameOf(state.seen)} reads`;
      return [{ rule: "each state is explained by writes", conversationId, detail }];
    });
  });
}

/** By version, without duplicates. */
function statesOf({ seen }: Timeline, incarnation: string): readonly SeenState[] {
  const states = new Map<number, SeenState>();
  for (const one of seen) {
    const { version, texts, isWhole, isThere, begin, end } = one;
    if (!isThere || !isWhole || version === undefined || one.incarnation !== incarnation) continue;
    const known = states.get(version);
    const until = Math.max(begin, known?.until ?? 0);
    const reached = Math.min(end, known?.reached ?? Number.POSITIVE_INFINITY);
    states.set(version, { version, texts, seen: known?.seen ?? one, until, reached });
  }
  return [...states.values()].sort((a, b) => a.version - b.version);
}

type Start = State & { readonly until?: number };

/** An incarnation's first state: empty, or the imported messages. */
const startsOf = ({ writes }: Timeline): readonly Start[] => [
  { version: 0, texts: [] },
  ...writes.flatMap(({ mode, version, texts, begin }) =>
    mode === "import" && version !== undefined ? [{ version, texts, until: begin }] : [],
  ),
];

interface Search {
  readonly start: Start;
  readonly state: SeenState;
  readonly incarnation: string;
}

function isExplained({ writes }: Timeline, { start, state, incarnation }: Search): boolean {
  const { until = 0 } = start;
  if (state.version - start.version > MOST_STEPS) return true;
  const candidates = writes.filter(
    (write) =>
      write.mode !== "import" &&
      write.begin < state.reached &&
      endOf(write) > until &&
      (write.expectedIncarnation === undefined ||
        write.expectedIncarnation === incarnation ||
        (start.version === 0 && write.expectedIncarnation.startsWith("none:"))),
  );
  let tried = 0;
  function reaches(from: State, used: readonly string[]): boolean {
    if (from.version === state.version) return isSame(from.texts, state.texts);
    if (from.version > state.version || tried > MOST_TRIED) return tried > MOST_TRIED;
    return candidates.some((write) => {
      // An id is forgotten with its message, so the same message can be written again.
      const identity = write.hasIds ? `call ${candidates.indexOf(write)}` : identityOf(write);
      tried += 1;
      if (used.includes(identity)) return false;
      const next = after(from, write);
      return next !== undefined && reaches(next, [...used, identity]);
    });
  }
  return reaches(start, []);
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, index) => text === b[index]);

/** The model of a write; `undefined` if it changes no message or is refused. */
function after({ version, texts }: State, write: Write): State | undefined {
  const { mode, dropLast = 0, maxMessages, expectedVersion, creates, hasIds } = write;
  if (expectedVersion !== undefined && expectedVersion !== version) return undefined;
  if (version === 0 && !creates) return undefined;
  if (dropLast > texts.length) return undefined;
  const kept = mode === "replace" ? [] : texts.slice(0, texts.length - dropLast);
  const added = hasIds ? write.texts.filter((text) => !kept.includes(text)) : write.texts;
  const isChange = mode === "replace" || version === 0 || dropLast + added.length > 0;
  const all = [...kept, ...added];
  const stays = maxMessages === undefined ? all : all.slice(-maxMessages);
  if (!isChange && stays.length === texts.length) return undefined;
  return { version: version + 1, texts: stays };
}
