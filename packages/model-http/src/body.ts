/** The limit of a reply and of one event of a stream: about ten times a generated image. */
export const MAX_REPLY_LENGTH = 256 * 2 ** 20;

/** The limit of an error's body. Only the names in it are used. */
const MAX_ERROR_BYTES = 64 * 1_024;

/**
 * Reads a whole body. Resolves with `undefined` if it is longer than the limit, without reading the rest. Rejects like
 * `Response.text`.
 */
export async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const texts: string[] = [];
  let bytes = Number(response.headers.get("content-length") ?? 0) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  try {
    while (bytes <= maxBytes) {
      const { done, value } = await reader.read();
      texts.push(decoder.decode(value, { stream: !done }));
      if (done) return texts.join("");
      bytes += value.byteLength;
    }
    return undefined;
  } finally {
    // Rejects for a failed body, and does nothing for a body that has ended.
    reader.cancel().catch(() => {});
  }
}

/** Reads the body of an error. Resolves with `""` if it can't be read or is too long. */
export const errorText = async (response: Response): Promise<string> =>
  (await readText(response, MAX_ERROR_BYTES).catch(() => undefined)) ?? "";
