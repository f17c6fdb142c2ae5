import type { ContentPart, RichToolCall } from "@jaf/memory";

export type ParsedCalls = UsableCalls | UnusableCalls;

interface UnusableCalls {
  readonly kind: "unusable";
  /** Says what is wrong, without quoting the call. */
  readonly detail: string;
  /** Whether the model might give a usable reply if it is called again. */
  readonly retryable: boolean;
}

export interface UsableCalls {
  /**
   * `"plain"`: each call has only an id, a function's name and arguments. `"rich"`: a call has more fields or another
   * type.
   */
  readonly kind: "plain" | "rich";
  readonly calls: readonly RichToolCall[];
  readonly placed: PlaceParts;
}

/** Returns the content parts. Parts that mark the place of a call get the call's new id. */
type PlaceParts = (parts: readonly ContentPart[]) => readonly ContentPart[];

type Fields = Readonly<Record<string, unknown>>;

/** A tool call's type, name and input, from the fields that the model provider sent. */
interface ReadCall {
  readonly type: "function" | "custom";
  readonly name: string;
  readonly input: string;
}

interface NamedCall extends ReadCall {
  readonly sent: Fields;
  readonly id: string;
  /** The id that the model provider gave the call; `""` if it gave none. */
  readonly given: string;
}

/**
 * Returns the tool calls of a reply, repaired if necessary. If a call can't be repaired, returns why the calls are
 * unusable.
 *
 * - A missing or empty id becomes a random id.
 * - A repeated id gets a suffix. The original id stays in `providerMetadata.jaf.id`.
 * - Absent arguments become `{}`.
 * - A call of an unknown type that names a function becomes a function call. Its type stays in
 *   `providerMetadata.jaf.type`.
 */
export function parseCalls(sent: readonly unknown[]): ParsedCalls {
  if (sent.length === 0) return NO_CALLS;
  const toUniqueId = sent.length === 1 ? idOf : uniqueIds();
  const named: NamedCall[] = [];
  let isPlain = true;
  for (const call of sent) {
    if (!isObject(call)) return unusable("a tool call names no function");
    const read = readCall(call);
    if ("detail" in read) return read;
    const { type, name, input } = read;
    const given = typeof call["id"] === "string" ? call["id"] : "";
    const id = toUniqueId(given);
    isPlain &&= type === "function" && !hasMore(call);
    named.push({ type, name, input, sent: call, id, given });
  }
  return {
    kind: isPlain ? "plain" : "rich",
    // A plain call has no other fields, or only fields with the value `null`.
    calls: named.map((call) => callOf(isPlain ? { ...call, sent: {} } : call)),
    placed: (parts) => placedAnew(parts, named),
  };
}

const NO_CALLS: UsableCalls = { kind: "plain", calls: [], placed: (parts) => parts };

const unusable = (detail: string, retryable = true): UnusableCalls => ({
  kind: "unusable",
  ...{ detail, retryable },
});

function readCall(call: Fields): ReadCall | UnusableCalls {
  if (call["type"] === "custom") {
    const custom = fieldsOf(call["custom"]);
    const name = custom["name"];
    const input = custom["input"] ?? "";
    if (typeof name !== "string" || name === "") return unusable("a custom tool call names no tool");
    return typeof input === "string"
      ? { type: "custom", name, input }
      : unusable("the input of a custom tool call is not text");
  }
  const called = fieldsOf(call["function"]);
  const name = called["name"];
  if (typeof name !== "string" || name === "") return unusable("a tool call names no function");
  try {
    const input = argumentsText(called["arguments"]);
    return input === undefined
      ? unusable("the arguments of a tool call are not JSON text")
      : { type: "function", name, input };
  } catch {
    // Only a model provider can make such an object (e.g. with a cycle). It would do so again.
    return unusable("the arguments of a tool call can't be written as JSON", false);
  }
}

/**
 * Returns the arguments of a call as JSON text; `undefined` if they are neither text nor an object. Throws if JSON
 * can't represent the object.
 */
function argumentsText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "{}";
  // Some providers of local models pass the arguments as a decoded object.
  return typeof value === "object" ? JSON.stringify(value) : undefined;
}

function hasMore(call: Fields): boolean {
  for (const key in call) {
    if (key === "id" || key === "function") continue;
    if (key === "type" ? !isFunctionType(call[key]) : call[key] != null) return true;
  }
  const called = fieldsOf(call["function"]);
  for (const key in called) {
    if (key !== "name" && key !== "arguments" && called[key] != null) return true;
  }
  return false;
}

const isFunctionType = (type: unknown): boolean => type == null || type === "function";

function callOf({ sent, type, name, input, id, given }: NamedCall): RichToolCall {
  const { id: _, type: sentType, ...rest } = sent;
  const own: Record<string, string> = {};
  if (id !== given && given !== "") own["id"] = given;
  if (type === "function" && typeof sentType === "string" && sentType !== "function") own["type"] = sentType;
  const kept = Object.keys(own).length === 0 ? rest : withOwn(rest, own);
  return type === "custom"
    ? { ...kept, id, type, custom: { ...fieldsOf(sent["custom"]), name, input } }
    : { ...kept, id, type, function: { ...fieldsOf(sent["function"]), name, arguments: input } };
}

const withOwn = (call: Fields, own: Fields): Fields => ({
  ...call,
  providerMetadata: { ...fieldsOf(call["providerMetadata"]), jaf: own },
});

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

function placedAnew(parts: readonly ContentPart[], calls: readonly NamedCall[]): readonly ContentPart[] {
  if (calls.every(({ id, given }) => id === given)) return parts;
  const idsByGiven = new Map<unknown, string[]>();
  for (const { id, given } of calls.toReversed()) {
    const ids = idsByGiven.get(given);
    if (ids === undefined) idsByGiven.set(given, [id]);
    else ids.push(id);
  }
  return parts.map((part) => {
    const id = part.type === "tool-call" ? idsByGiven.get(part["id"] ?? "")?.pop() : undefined;
    return id === undefined ? part : { ...part, id };
  });
}

const idOf = (id: string): string => (id === "" ? `call_${crypto.randomUUID().replaceAll("-", "")}` : id);

/** Returns a function that gets the ids of a reply's calls in order, and returns the ids that the calls will have. */
export function uniqueIds(): (id: string) => string {
  /** The ids in use, each with the next suffix to try. */
  // The next suffix, because thousands of calls can have the same id.
  const suffixes = new Map<string, number>();
  return (id) => {
    if (id === "") return idOf(id);
    let unique = id;
    let suffix = suffixes.get(id) ?? 2;
    for (; suffixes.has(unique); suffix++) unique = `${id}_${suffix}`;
    if (unique !== id) suffixes.set(id, suffix);
    suffixes.set(unique, 2);
    return unique;
  };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
