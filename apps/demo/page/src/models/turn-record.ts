import type { ContextManifest, ModelUsage } from "@jaf/core";
import type { TurnSummary } from "@jaf/server/client";

/** The parts of a turn's record that the page shows. */
export interface RecordedTurn {
  readonly turnId: string;
  readonly startedAt: string;
  /** The turn's final status. */
  readonly status: string | undefined;
  readonly positions: { readonly from: number; readonly to: number } | undefined;
  readonly instructions: readonly string[];
  /** Ids of the facts in the prompts. */
  readonly facts: readonly string[];
  readonly calls: readonly RecordedCall[];
}

export interface RecordedCall {
  readonly model: string | undefined;
  readonly manifest: ContextManifest | undefined;
  readonly usage: ModelUsage | undefined;
  readonly cost: number | undefined;
  readonly durationMs: number | undefined;
  readonly status: string | undefined;
}

type Loose = Readonly<Record<string, unknown>>;

const looseOf = (value: unknown): Loose =>
  typeof value === "object" && value !== null ? (value as Loose) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsOf = (value: unknown) => listOf(value).filter((one): one is string => typeof one === "string");

/** Reads a record, which may lack fields if an earlier version of the server wrote it. */
export function recordedTurn({ turnId, startedAt, record }: TurnSummary): RecordedTurn {
  const loose = looseOf(typeof record === "string" ? parsed(record) : record);
  const { from, to } = looseOf(loose["positions"]);
  return {
    turnId,
    startedAt,
    status: typeof loose["status"] === "string" ? loose["status"] : undefined,
    positions: typeof from === "number" && typeof to === "number" ? { from, to } : undefined,
    instructions: textsOf(loose["instructions"]),
    facts: textsOf(loose["facts"]),
    calls: listOf(loose["calls"]).map(recordedCall),
  };
}

function recordedCall(value: unknown): RecordedCall {
  const call = looseOf(value);
  const { status, durationMs, cost, manifest, usage } = call;
  const model = looseOf(call["origin"])["model"] ?? call["model"];
  return {
    model: typeof model === "string" && model !== "default" ? model : undefined,
    status: typeof status === "string" ? status : undefined,
    durationMs: typeof durationMs === "number" ? durationMs : undefined,
    cost: typeof cost === "number" ? cost : undefined,
    manifest: manifest === undefined ? undefined : (manifest as ContextManifest),
    usage: usage === undefined ? undefined : (usage as ModelUsage),
  };
}

/** The positions of a stopped turn's messages. */
export interface StoppedTurn {
  readonly from: number;
  /** The position after the last one. */
  readonly to: number;
}

/** The stopped turns that no later turn has replaced. `turns` has the latest first. */
export function stoppedIn(turns: readonly TurnSummary[]): readonly StoppedTurn[] {
  const stopped: StoppedTurn[] = [];
  let replacedFrom = Number.POSITIVE_INFINITY;
  for (const turn of turns) {
    const { positions, status } = recordedTurn(turn);
    if (positions === undefined) continue;
    const { from, to } = positions;
    if (status === "stopped" && from < replacedFrom) stopped.push({ from, to: Math.min(to, replacedFrom) });
    replacedFrom = Math.min(replacedFrom, from);
  }
  return stopped;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The turn of the message at this position. */
export function turnOf(turns: readonly RecordedTurn[], position: number): RecordedTurn | undefined {
  const byPositions = turns.find(
    ({ positions }) => positions !== undefined && positions.from <= position && position < positions.to,
  );
  // A model call gets all messages before its reply.
  const byCall = turns.find(({ calls }) => calls.some(({ manifest }) => manifest?.messages === position));
  return byPositions ?? byCall;
}
