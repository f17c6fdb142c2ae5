import type { Message, RichMessage } from "@jaf/memory";
import { jsonIn, messageText, partText } from "@jaf/memory/internal";
import type * as z from "zod";
import { abortable, abortError, runAborted } from "../limits/abort.ts";
import { refusalOf } from "../model/reply.ts";
import { fail, type RunProgress, type RunScope, type StepStart } from "../run-scope.ts";
import { type StandardSchema, zodSchemaOf } from "../standard-schema.ts";
import { checkGuardrails } from "./guardrails.ts";

type DecodedOutput =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly errors: z.ZodIssue[] };

type CheckedOutput<Ctx> = { readonly output: unknown } | { readonly failed: RunProgress<Ctx> };

const THREW = "the codec threw instead of reporting an issue";

/**
 * Decodes the output of a final reply, and checks it with the output guardrails. The output of a reply without text
 * (e.g. an image) is decoded from `""`.
 */
export async function checkOutput<Ctx>(
  scope: RunScope<Ctx>,
  { state, agent }: StepStart<Ctx>,
  reply: Message,
): Promise<CheckedOutput<Ctx>> {
  const { config } = scope;
  const refusal = refusalOf(reply);
  if (refusal !== undefined && agent.outputCodec !== undefined) {
    return { failed: fail(state, { _tag: "ModelRefused", refusal }) };
  }
  const text = refusal ?? messageText(reply);
  // `decodeOutput` never rejects, so a rejection means an abort.
  const decoded = await abortable(decodeReply(agent.outputCodec, text, reply), config.signal).catch(
    () => undefined,
  );
  if (decoded === undefined) return { failed: fail(state, runAborted(config.signal)) };
  if (!decoded.ok) return { failed: fail(state, { _tag: "DecodeError", errors: decoded.errors }) };
  const verdict = await checkGuardrails(scope, config.finalOutputGuardrails, {
    stage: "output",
    value: decoded.output,
    context: state.context,
  });
  const aborted = abortError(config.signal);
  if (aborted !== undefined) return { failed: fail(state, aborted) };
  if (verdict.isValid) return { output: decoded.output };
  return { failed: fail(state, { _tag: "OutputGuardrailTripwire", reason: verdict.errorMessage }) };
}

/** Decodes the output of a final reply. If its texts together don't fit, the last one counts: models comment before it. */
async function decodeReply(
  schema: StandardSchema | undefined,
  text: string,
  { content }: RichMessage,
): Promise<DecodedOutput> {
  const decoded = await decodeOutput(schema, text);
  const last = Array.isArray(content) ? content.map(partText).findLast(Boolean) : undefined;
  return decoded.ok || last === undefined || last === text ? decoded : decodeOutput(schema, last);
}

/**
 * Decodes a text as output. Without a codec, the output is the reply's text. The codec gets these values
 * until one matches:
 *
 * - If the text is JSON: the parsed value, and then the text.
 * - Otherwise: the text, and then the parsed JSON in a code fence.
 */
async function decodeOutput(schema: StandardSchema | undefined, text: string): Promise<DecodedOutput> {
  if (schema === undefined) return { ok: true, output: text };
  const codec = zodSchemaOf(schema, "outputCodec");
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
export const holdsJson = (text: string): boolean =>
  typeof parseJson(text) !== "string" || fencedJson(text) !== undefined;

/** Returns whether the codec itself threw, so the model can't correct the reply. */
export const isCodecFault = (errors: readonly z.ZodIssue[]): boolean =>
  errors.some(({ message }) => message === THREW);

/** Returns the parsed JSON between the first and the last code fence; `undefined` if it isn't valid JSON. */
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
