import type { Message } from "@jaf/memory";
import { jsonIn, messageText } from "@jaf/memory/internal";
import type * as z from "zod";
import type { RunProgress } from "../run-scope.ts";

export type DecodedOutput =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly errors: z.ZodIssue[] };

const THREW = "the codec threw instead of reporting an issue";

/**
 * Decodes the output of a final reply: its text, or with a `codec` its JSON. If the text isn't JSON or the JSON doesn't match
 * (e.g. a codec of strings and the reply `42`), the codec gets the text. The last attempt is the JSON in a code fence, with or
 * without text around it; several fences are ignored.
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

/** Returns whether a text is JSON or has JSON in a code fence. */
const holdsJson = (text: string): boolean =>
  typeof parseJson(text) !== "string" || fencedJson(text) !== undefined;

/** Returns whether the codec itself failed, not the reply. */
const isCodecFault = (errors: readonly z.ZodIssue[]): boolean =>
  errors.some(({ message }) => message === THREW);

/**
 * Returns the JSON between the first and the last fence, because JSON strings can contain fences. Several blocks together
 * aren't valid JSON.
 */
function fencedJson(text: string): unknown {
  const opening = /```[A-Za-z0-9]*\s/.exec(text);
  if (opening === null) return undefined;
  const start = opening.index + opening[0].length;
  const json = parseJson(text.slice(start, Math.max(start, text.lastIndexOf("```"))));
  return typeof json === "string" ? undefined : json;
}

function parseJson(text: string): unknown {
  const json = jsonIn(text);
  return json === undefined ? text : json;
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

/** Returns the faults of a final reply that the model can correct. */
export function repairableFaults<Ctx>({ outcome }: RunProgress<Ctx>): readonly z.ZodIssue[] | undefined {
  if (outcome?.status !== "error" || outcome.error._tag !== "DecodeError") return undefined;
  const { errors } = outcome.error;
  return isCodecFault(errors) ? undefined : errors;
}

/** Returns the request to correct a reply: a user message that isn't part of the conversation. */
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
