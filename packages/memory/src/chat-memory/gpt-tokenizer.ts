import * as z from "zod";
import { parseOptions } from "../codec/checks.ts";
import { createMemoryStorageError, MemorySetupError } from "../contract/errors.ts";
import type { Tokenizer } from "../history/window/tokens.ts";
import { isMissingPackage } from "../runtime/process.ts";

const PACKAGE = "gpt-tokenizer";
const operation = "createGptTokenizer";

const encodingSchema = z.enum([
  "o200k_base",
  "o200k_harmony",
  "cl100k_base",
  "p50k_base",
  "p50k_edit",
  "r50k_base",
  "gpt2",
]);

const optionsSchema = z
  .strictObject({ encoding: encodingSchema.optional(), model: z.string().min(1).optional() })
  .refine(({ encoding, model }) => encoding === undefined || model === undefined, {
    path: ["encoding"],
    message: "expected no encoding together with a model",
  });

/** Options of `createGptTokenizer`. Set at most one of `encoding` and `model`. */
export interface GptTokenizerOptions {
  /** The name of the encoding. Default `"o200k_base"`, the encoding of OpenAI's models since GPT-4o. */
  readonly encoding?: z.infer<typeof encodingSchema> | undefined;
  /** The name of an OpenAI model (e.g. `"gpt-4o"`). The tokenizer uses the model's encoding. */
  readonly model?: string | undefined;
}

const mappingSchema = z.object({ modelToEncodingMap: z.record(z.string(), encodingSchema) });

const countSchema = z.object({
  countTokens: z.custom<(text: string, options: { disallowedSpecial: ReadonlySet<string> }) => number>(
    (value) => typeof value === "function",
  ),
});

async function load<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  let module: unknown;
  try {
    module = await import(/* @vite-ignore */ /* webpackIgnore: true */ `${PACKAGE}/${path}`);
  } catch (thrown) {
    const reason = isMissingPackage(PACKAGE, thrown)
      ? `the package ${PACKAGE} is not installed. Run "npm install ${PACKAGE}", or use the default estimate.`
      : `the package ${PACKAGE} is installed but fails to load. Install ${PACKAGE}@4.`;
    throw new MemorySetupError(
      createMemoryStorageError(operation, reason, { provider: PACKAGE, cause: thrown }),
    );
  }
  const parsed = schema.safeParse(module);
  if (parsed.success) return parsed.data;
  const reason = `the package ${PACKAGE} doesn't have the expected exports. Install ${PACKAGE}@4.`;
  throw new MemorySetupError(createMemoryStorageError(operation, reason, { provider: PACKAGE }));
}

async function encodingOf(model: string): Promise<string> {
  const { modelToEncodingMap } = await load("mapping", mappingSchema);
  const encoding = Object.hasOwn(modelToEncodingMap, model) ? modelToEncodingMap[model] : undefined;
  if (encoding !== undefined) return encoding;
  throw new TypeError(
    `Invalid tokenizer options: model: expected a model that ${PACKAGE} knows. Name an encoding instead.`,
  );
}

/**
 * Creates a tokenizer that counts tokens as OpenAI's models do. The package `gpt-tokenizer` must be installed. The
 * first call imports the package, which takes about 0.2 seconds and 90 MB of memory for `"o200k_base"`.
 *
 * Special tokens in a text (e.g. `<|endoftext|>`) count as plain text. More than 500 letters, digits, signs or white
 * space without a break are counted in slices, because the package takes too long for them. So the result can be
 * slightly too high.
 *
 * Rejects with a `MemorySetupError` if the package is not installed or can't be used. Rejects with a `TypeError` if an
 * option is invalid.
 *
 * @example
 * ```ts
 * import { createGptTokenizer, windowOf } from "@jaf/memory";
 *
 * const tokenizer = await createGptTokenizer({ model: "gpt-4o" });
 * export const toWindow = windowOf({ memoryType: "token_window", maxTokens: 8_000 }, { tokenizer });
 * ```
 */
export async function createGptTokenizer(options: GptTokenizerOptions = {}): Promise<Tokenizer> {
  const { encoding, model } = parseOptions(optionsSchema, options, "tokenizer options");
  const name = model === undefined ? (encoding ?? "o200k_base") : await encodingOf(model);
  const { countTokens } = await load(`encoding/${name}`, countSchema);
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => slicesOf(text).reduce((sum, slice) => sum + countTokens(slice, asText), 0);
}

/** The maximum length of a run (see `RUNS`) that is counted as a whole, in UTF-16 units. */
const MOST = 500;

/** Matches runs of characters that no encoding splits: letters with their marks, digits, white space, or signs. */
const RUNS = /[\p{L}\p{M}]+|\p{N}+|\s+|[^\p{L}\p{M}\p{N}\s]+/gu;

/** Splits a text into slices that a tokenizer can count in linear time. The slices, joined in order, are the text. */
export function slicesOf(text: string): readonly string[] {
  if (text.length <= MOST) return [text];
  const slices: string[] = [];
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    const end = index + run.length;
    for (let cut = index + MOST; cut < end; cut += MOST) {
      if (isWithinPair(text, cut)) cut -= 1;
      slices.push(text.slice(start, cut));
      start = cut;
    }
  }
  slices.push(text.slice(start));
  return slices;
}

const isWithinPair = (text: string, cut: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(cut - 1, cut + 1));
