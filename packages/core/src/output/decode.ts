import type * as z from "zod";

export type DecodedOutput =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly errors: z.ZodIssue[] };

/**
 * The output that a final reply stands for: its text, or what `codec` makes of it as JSON. Text that is no JSON, or
 * whose JSON doesn't fit (a codec of strings, and the reply `42`), is tried as it is.
 */
export async function decodeOutput(codec: z.ZodType | undefined, text: string): Promise<DecodedOutput> {
  if (codec === undefined) return { ok: true, output: text };
  const json = parseJson(text);
  const decoded = await parse(codec, json);
  if (decoded.ok || typeof json === "string") return decoded;
  const asText = await parse(codec, text);
  return asText.ok ? asText : decoded;
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
    const message = "the codec threw instead of reporting an issue";
    return { ok: false, errors: [{ code: "custom", path: [], message, input: undefined }] };
  }
}
