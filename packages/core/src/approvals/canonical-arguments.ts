import type { RichToolCall } from "@jaf/memory";
import { MAX_DEPTH } from "@jaf/memory/internal";
import type { CallChanges } from "../interruption.ts";
import { sleep } from "../limits/abort.ts";
import { type ParsedArguments, parseArguments, parseCall } from "../tool-calls/arguments.ts";
import type { Tool } from "../tools/tool.ts";

/** How long to wait before the arguments of a call are parsed a second time, in milliseconds. */
// A schema that puts the current time into the arguments then returns two different values.
const TICK_MS = 2;

/** The parsed arguments of a call, and their canonical JSON. An approval is valid only for arguments with this JSON. */
export interface ApprovalArguments {
  readonly parsed: ParsedArguments;
  /**
   * The arguments as canonical JSON: equal arguments have the same text. Absent: the arguments are invalid or have no
   * canonical JSON.
   */
  readonly text?: string;
  /**
   * Why the arguments have no canonical JSON, as a text for the developer. Absent: they have canonical JSON or are
   * invalid.
   */
  readonly noBinding?: string;
  /** Whether an approval of the call was requested before. The call then never runs without one. */
  readonly wasAsked?: true;
  /** What has changed since then, if the call is asked about again. */
  readonly change?: {
    readonly shown: CallChanges;
    /** What a decision about the call is bound to, in addition to the arguments. */
    readonly binding: readonly string[];
  };
}

/** A tool call together with its tool. */
export interface ResolvedCall<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tool: Tool<any, Ctx>;
  readonly call: RichToolCall;
}

/** Parses a call's arguments, and converts the parsed arguments into canonical JSON. */
export const parseForApproval = async <Ctx>({ tool, call }: ResolvedCall<Ctx>): Promise<ApprovalArguments> =>
  withText(await parseCall(tool, call));

/** Parses arguments that were stored as canonical JSON. */
export const parseTextForApproval = async <Ctx>(
  { schema: { parameters } }: ResolvedCall<Ctx>["tool"],
  text: string,
): Promise<ApprovalArguments> => withText(await parseArguments(parameters, JSON.parse(text)));

function withText(parsed: ParsedArguments): ApprovalArguments {
  if (!parsed.ok) return { parsed };
  try {
    return { parsed, text: canonicalJson(parsed.args) };
  } catch (thrown) {
    if (!(thrown instanceof NotCanonical)) throw thrown;
    const remedy = "create values other than JSON and dates in the tool's execute";
    return { parsed, noBinding: `${thrown.message}; ${remedy}` };
  }
}

/**
 * Returns why an approval can't be requested for a call; `undefined` if it can. Parses the arguments a second time, to
 * find out whether the parsed arguments differ.
 */
export async function noBindingReason<Ctx>(
  resolvedCall: ResolvedCall<Ctx>,
  { text, noBinding }: ApprovalArguments,
): Promise<string | undefined> {
  if (text === undefined) return noBinding;
  await sleep(TICK_MS, undefined);
  const again = await parseForApproval(resolvedCall);
  if (again.text === text) return undefined;
  return "the tool's schema returns different arguments each time; create random ids and times in the tool's execute";
}

/**
 * The error for a value that has no canonical JSON (e.g. a function). It names the value's path and kind, but not its
 * content.
 */
class NotCanonical extends Error {
  override readonly name = "NotCanonical";
  constructor(path: string, what: string) {
    super(`${path === "" ? "they are" : `${path} is`} ${what}`);
  }
}

interface At {
  readonly path: string;
  /** The objects that contain the value at `path`. They are needed to find cycles. */
  readonly around: readonly object[];
}

/**
 * Returns JSON with sorted keys, so equal values have the same text. Throws {@link NotCanonical} for values that JSON
 * can't represent.
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
