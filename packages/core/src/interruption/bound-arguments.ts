import type { RichToolCall } from "@jaf/memory";
import { sleep } from "../timing/abort.ts";
import type { ParsedArguments } from "../tools/arguments.ts";
import { parseCall } from "../tools/execute-call.ts";
import type { Tool } from "../tools/tool.ts";
import { canonicalJson, NotCanonical } from "./canonical-json.ts";

/** Two parsings are this far apart, so that what is made of the time differs. */
const TICK_MS = 2;

/** A call's arguments, as the tool would get them. */
export interface JudgedArguments {
  readonly parsed: ParsedArguments;
  /** The same for the same arguments: what an approval is bound to. Absent where none can be, and where they are invalid. */
  readonly text?: string;
  /** Why no approval can be bound to them, and what to do about it. */
  readonly unbound?: string;
}

export interface JudgedCall<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tool: Tool<any, Ctx>;
  readonly call: RichToolCall;
}

/** Parses a call's arguments, and tells whether an approval can be bound to them. */
export async function judgeArguments<Ctx>({ tool, call }: JudgedCall<Ctx>): Promise<JudgedArguments> {
  const parsed = await parseCall(tool, call);
  if (!parsed.ok) return { parsed };
  try {
    return { parsed, text: canonicalJson(parsed.args) };
  } catch (thrown) {
    if (!(thrown instanceof NotCanonical)) throw thrown;
    const remedy = "what isn't JSON or a date is for the tool's execute to make";
    return { parsed, unbound: `${thrown.message}; ${remedy}` };
  }
}

/**
 * Why no approval can be asked for; `undefined`: one can. Parses once more, since an approval of arguments that differ each time
 * could never be used.
 */
export async function unboundReason<Ctx>(
  judgedCall: JudgedCall<Ctx>,
  { text, unbound }: JudgedArguments,
): Promise<string | undefined> {
  if (text === undefined) return unbound;
  await sleep(TICK_MS, undefined);
  const again = await judgeArguments(judgedCall);
  if (again.text === text) return undefined;
  return "the tool's schema makes others of the call each time; random ids and times are for the tool's execute to make";
}
