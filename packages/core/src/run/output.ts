import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type * as z from "zod";
import type { RunProgress } from "../run-scope.ts";

export type DecodedOutput =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly errors: z.ZodIssue[] };

const THREW = "the codec threw instead of reporting an issue";

/**
 * The output that a final reply stands for: its text, or what `codec` makes of it as JSON. Text that is no JSON, or
 * whose JSON doesn't fit (a codec of strings, and the reply `42`), is tried as it is. Last comes the JSON in a code fence, also
 * where there is text around it; with several fences none counts.
 */
export async function decodeOutput(codec: z.ZodType | undefined, text: string): Promise<DecodedOutput> {
  if (codec === undefined) return { ok: true, output: text };
  const json = parseJson(text);
  const decoded = await parse(codec, json);
  if (decoded.ok) return decoded;
  if (typeof json !== "string") {
    const asText = await parse(codec, text);
    return asText.ok ? asText : decoded;
  }
  const fenced = fencedJson(text);
  return fenced === undefined ? decoded : parse(codec, fenced);
}

/** Whether a text is JSON, or has JSON in a code fence. */
const holdsJson = (text: string): boolean =>
  typeof parseJson(text) !== "string" || fencedJson(text) !== undefined;

/** Whether it is the codec that is at fault, and not what it was given. */
const isCodecFault = (errors: readonly z.ZodIssue[]): boolean =>
  errors.some(({ message }) => message === THREW);

/** From the first fence to the last, as JSON may hold some in its strings; several blocks make no JSON together. */
function fencedJson(text: string): unknown {
  const opening = /```[A-Za-z0-9]*\s/.exec(text);
  if (opening === null) return undefined;
  const start = opening.index + opening[0].length;
  const json = parseJson(text.slice(start, Math.max(start, text.lastIndexOf("```"))));
  return typeof json === "string" ? undefined : json;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function parse(codec: z.ZodType, value: unknown): Promise<DecodedOutput> {
  try {
    const result = await codec.safeParseAsync(value);
    return result.success
      ? { ok: true, output: result.data }
      : { ok: false, errors: result.error.issues as z.ZodIssue[] };
  } catch {
    return { ok: false, errors: [{ code: "custom", path: [], message: THREW, input: undefined }] };
  }
}

const SHOWN_FAULTS = 20;

/** What is wrong with the reply that a run was to end with, where the model may do better. */
export function repairableFaults<Ctx>({ outcome }: RunProgress<Ctx>): readonly z.ZodIssue[] | undefined {
  if (outcome?.status !== "error" || outcome.error._tag !== "DecodeError") return undefined;
  const { errors } = outcome.error;
  return isCodecFault(errors) ? undefined : errors;
}

/** The request to correct a reply, as a user message that isn't part of the conversation. */
export function repairRequest(reply: Message, faults: readonly z.ZodIssue[]): Message {
  const shown = faults
    .slice(0, SHOWN_FAULTS)
    .map(({ path, message }) => `- ${path.length === 0 ? "the whole" : path.join(".")}: ${message}`);
  const left = faults.length - shown.length;
  const lines = [
    "Your last reply is not the output that is expected:",
    ...(holdsJson(messageText(reply)) ? [] : ["- the whole: it is no JSON"]),
    ...shown,
    ...(left > 0 ? [`- and ${left} more`] : []),
    "Reply again with the whole output, corrected, and with nothing else: no explanation and no code fence.",
  ];
  return Object.freeze({ role: "user", content: lines.join("\n") });
}
