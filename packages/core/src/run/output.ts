import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type * as z from "zod";
import type { RunProgress } from "../run-scope.ts";

export type DecodedOutput =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly errors: z.ZodIssue[] };

const THREW = "the codec threw instead of reporting an issue";

/**
 * Decodes the output of a final reply. Without a codec, the output is the reply's text. With a codec, there are two cases:
 *
 * - If the text is JSON, the codec gets the parsed value. If that doesn't match (e.g. a codec for strings and the reply
 *   `42`), the codec gets the text.
 * - If the text isn't JSON, the codec gets the text. If that doesn't match, the codec gets the JSON in a code fence, with or
 *   without text around the fence. JSON in several separate fences is ignored.
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

/** Returns whether a text is JSON, or has JSON in a code fence. */
const holdsJson = (text: string): boolean =>
  typeof parseJson(text) !== "string" || fencedJson(text) !== undefined;

/** Returns whether the codec itself threw. Then the reply isn't at fault, and the model can't correct it. */
const isCodecFault = (errors: readonly z.ZodIssue[]): boolean =>
  errors.some(({ message }) => message === THREW);

/**
 * Returns the JSON between the first and the last code fence; `undefined` if that isn't valid JSON. Inner fences are skipped,
 * because JSON strings can contain fences. Several code blocks together aren't valid JSON.
 */
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

/**
 * Returns the faults of a final reply that the model can correct. Returns `undefined` if the run ended for another reason
 * than such faults.
 */
export function repairableFaults<Ctx>({ outcome }: RunProgress<Ctx>): readonly z.ZodIssue[] | undefined {
  if (outcome?.status !== "error" || outcome.error._tag !== "DecodeError") return undefined;
  const { errors } = outcome.error;
  return isCodecFault(errors) ? undefined : errors;
}

/** Returns a user message that asks the model to correct its reply. The message isn't part of the conversation. */
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
