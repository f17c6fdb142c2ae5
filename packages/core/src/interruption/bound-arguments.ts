import type { RichToolCall } from "@jaf/memory";
import { sleep } from "../timing/abort.ts";
import { decodeCall, type ParsedArguments } from "../tools/arguments.ts";
import { parseCall } from "../tools/execute-call.ts";
import type { Tool } from "../tools/tool.ts";
import { decodeArgumentsText, encodeArguments, UnboundArguments } from "./encode-arguments.ts";

/** Two parsings are this far apart, so that what is made of the time differs. */
const TICK_MS = 2;

/** Parsed arguments that an approval can be bound to. */
export interface BoundArguments {
  /** Those that the tool gets. */
  readonly args: unknown;
  /** A copy, for somebody who only looks. */
  readonly copy: () => unknown;
  /** With sorted keys: the same text for the same arguments. */
  readonly text: string;
  /** What is to be kept of them, encoded. Absent where it is what the call's own text says. */
  readonly kept: string | undefined;
}

/** A call's arguments, as the tool would get them. */
export interface JudgedArguments {
  readonly parsed: ParsedArguments;
  /** Absent where they are invalid, and where no approval can be bound to them. */
  readonly bound?: BoundArguments;
  /** Why no approval can be bound to them. */
  readonly unbound?: string;
}

export interface Judging<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tool: Tool<any, Ctx>;
  readonly call: RichToolCall;
  /** What was kept of the arguments when the call was asked about. */
  readonly shown: string | undefined;
}

/**
 * Parses a call's arguments. If they differ from those that were shown only in values that the schema generates anew each time,
 * e.g. a random id, the shown ones are used. Parsing once more tells which values these are.
 */
export async function judgeArguments<Ctx>({ tool, call, shown }: Judging<Ctx>): Promise<JudgedArguments> {
  const parsed = await parseCall(tool, call);
  if (!parsed.ok) return { parsed };
  try {
    const now = boundTo(parsed.args, call);
    const before = shown === undefined ? undefined : readShown(shown);
    if (before === undefined || shown === undefined) return { parsed, bound: now };
    const isStill = before.text === now.text || (await isMadeAnew(before.args, parsed.args, { tool, call }));
    return isStill
      ? { parsed: { ok: true, args: before.args }, bound: { ...before, kept: shown } }
      : { parsed, bound: now };
  } catch (thrown) {
    if (thrown instanceof UnboundArguments) return { parsed, unbound: thrown.message };
    throw thrown;
  }
}

type Parsing<Ctx> = Pick<Judging<Ctx>, "tool" | "call">;

/** Whether two parsings of now differ wherever the arguments of now differ from those that were shown. */
async function isMadeAnew<Ctx>(shown: unknown, now: unknown, { tool, call }: Parsing<Ctx>): Promise<boolean> {
  await sleep(TICK_MS, undefined);
  const again = await parseCall(tool, call);
  return again.ok && areWithin(differencesOf(shown, now), differencesOf(now, again.args));
}

function boundTo(args: unknown, call: RichToolCall): BoundArguments {
  const encoded = encodeArguments(args, { sorted: false });
  const text = encodeArguments(args, { sorted: true });
  const isPlain = text === encodeArguments(decodeCall(call).args, { sorted: true });
  return { args, copy: () => decodeArgumentsText(encoded), text, kept: isPlain ? undefined : encoded };
}

/** `undefined` for what the engine can't have kept: metadata may have been written by anybody. */
function readShown(encoded: string): Omit<BoundArguments, "kept"> | undefined {
  try {
    const args = decodeArgumentsText(encoded);
    const copy = () => decodeArgumentsText(encoded);
    return { args, copy, text: encodeArguments(args, { sorted: true }) };
  } catch {
    return undefined;
  }
}

/** From the outside in: which fields and places of lists lead to a part of a value. */
type Path = readonly string[];

/** Where two values differ, as deep as fields and lists go. What only one of them has is a difference at that place. */
export function differencesOf(one: unknown, other: unknown): readonly Path[] {
  const ones = partsOf(one);
  const others = partsOf(other);
  if (ones === undefined || others === undefined || Array.isArray(one) !== Array.isArray(other)) {
    return isSame(one, other) ? [] : [[]];
  }
  const keys = new Set([...ones.keys(), ...others.keys()]);
  return [...keys].flatMap((key) =>
    differencesOf(ones.get(key), others.get(key)).map((path) => [key, ...path]),
  );
}

/** Whether every difference lies at or within one of the places. */
export const areWithin = (differences: readonly Path[], places: readonly Path[]): boolean =>
  differences.every((path) => places.some((place) => place.every((key, index) => key === path[index])));

/** The fields of a plain object, the items of a list; `undefined` for anything else. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain ? new Map(Object.entries(value)) : undefined;
}

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) ||
  encodeArguments(one, { sorted: true }) === encodeArguments(other, { sorted: true });
