import type { RichToolCall } from "@jaf/memory";
import { sleep } from "../limits/abort.ts";
import { type ParsedArguments, parseCall } from "../tool-calls/arguments.ts";
import type { Tool } from "../tools/tool.ts";

/** Two parsings are this far apart, so that what is made of the time differs. */
const TICK_MS = 2;

/** A call's arguments, as the tool would get them. */
export interface ApprovalArguments {
  readonly parsed: ParsedArguments;
  /** The same for the same arguments: what an approval is bound to. Absent where none can be, and where they are invalid. */
  readonly text?: string;
  /** Why no approval can be bound to them, and what to do about it. */
  readonly noBinding?: string;
}

/** A call with the tool that it names. */
export interface ResolvedCall<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tool: Tool<any, Ctx>;
  readonly call: RichToolCall;
}

/** Parses a call's arguments, and tells whether an approval can be bound to them. */
export async function parseForApproval<Ctx>({ tool, call }: ResolvedCall<Ctx>): Promise<ApprovalArguments> {
  const parsed = await parseCall(tool, call);
  if (!parsed.ok) return { parsed };
  try {
    return { parsed, text: canonicalJson(parsed.args) };
  } catch (thrown) {
    if (!(thrown instanceof NotCanonical)) throw thrown;
    const remedy = "what isn't JSON or a date is for the tool's execute to make";
    return { parsed, noBinding: `${thrown.message}; ${remedy}` };
  }
}

/**
 * Why no approval can be asked for; `undefined`: one can. Parses once more, since an approval of arguments that differ each time
 * could never be used.
 */
export async function noBindingReason<Ctx>(
  resolvedCall: ResolvedCall<Ctx>,
  { text, noBinding }: ApprovalArguments,
): Promise<string | undefined> {
  if (text === undefined) return noBinding;
  await sleep(TICK_MS, undefined);
  const again = await parseForApproval(resolvedCall);
  if (again.text === text) return undefined;
  return "the tool's schema makes others of the call each time; random ids and times are for the tool's execute to make";
}

/** A value that can't be bound to an approval. Says where and what, and nothing of its content. */
class NotCanonical extends Error {
  override readonly name = "NotCanonical";
  constructor(path: string, what: string) {
    super(`${path === "" ? "they are" : `${path} is`} ${what}`);
  }
}

const MAX_DEPTH = 200;

interface At {
  readonly path: string;
  /** The objects that it lies in. */
  readonly around: readonly object[];
}

/**
 * JSON with the keys of objects in order, so that values that differ in nothing else have the same text. A date is written as in
 * JSON, and a field that is `undefined` is left out. Throws {@link NotCanonical} for all that JSON has no text for.
 */
export const canonicalJson = (value: unknown): string => textOf(value, { path: "", around: [] });

function textOf(value: unknown, at: At): string {
  if (typeof value === "object" && value !== null) return textOfObject(value, at);
  const isJson = value === null || typeof value === "string" || typeof value === "boolean";
  if (isJson || Number.isFinite(value)) return JSON.stringify(value);
  throw new NotCanonical(at.path, typeof value === "number" ? String(value) : `a ${typeof value}`);
}

function textOfObject(value: object, { path, around }: At): string {
  if (around.includes(value)) throw new NotCanonical(path, "part of itself");
  if (around.length > MAX_DEPTH) throw new NotCanonical(path, "nested too deeply");
  const inside = (part: unknown, step: string) =>
    textOf(part, { path: path + step, around: [...around, value] });
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Date.prototype) return JSON.stringify(timeOf(value as Date, path));
  if (prototype === Array.prototype) {
    const list = value as readonly unknown[];
    if (Reflect.ownKeys(list).length !== list.length + 1)
      throw new NotCanonical(path, "a list with holes or with fields of its own");
    return `[${list.map((part, index) => inside(part, `[${index}]`)).join(",")}]`;
  }
  if (prototype !== Object.prototype && prototype !== null)
    throw new NotCanonical(path, "an instance of a class");
  if (Object.getOwnPropertySymbols(value).length > 0)
    throw new NotCanonical(path, "an object with symbols as keys");
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${inside(part, `.${key}`)}`).join(",")}}`;
}

function timeOf(date: Date, path: string): string {
  if (Reflect.ownKeys(date).length > 0) throw new NotCanonical(path, "a date with fields of its own");
  if (Number.isNaN(date.getTime())) throw new NotCanonical(path, "an invalid date");
  return date.toISOString();
}
