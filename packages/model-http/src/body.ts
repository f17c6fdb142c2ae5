/** The maximum length of a reply, and of one event of a streamed reply: 256 MiB. */
export const MAX_REPLY_LENGTH = 256 * 2 ** 20;

/** The maximum length of the body of an error response, in bytes. */
const MAX_ERROR_BYTES = 2 ** 20;

/**
 * Reads a response's whole body as text. Resolves with `undefined` if the body is longer than `maxBytes`. Rejects if
 * the body ends early.
 */
export async function readText(
  response: Pick<Response, "headers" | "body">,
  maxBytes: number,
): Promise<string | undefined> {
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
    // Cancelling does nothing if the body has ended, and rejects if reading the body has failed.
    reader.cancel().catch(() => {});
  }
}

/**
 * Reads the body of an error response as text. Resolves with `""` if the body can't be read or is longer than 1 MiB.
 */
export const errorText = async (response: Pick<Response, "headers" | "body">): Promise<string> =>
  (await readText(response, MAX_ERROR_BYTES).catch(() => undefined)) ?? "";
