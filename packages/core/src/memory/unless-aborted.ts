import type { Result } from "@jaf/memory";
import { createFailure, createMemoryStorageError, onAbort } from "@jaf/memory/engine";

import { sleep } from "../timing/abort.ts";

/** How long such a read may still take once the run is aborted. */
const ABORTED_READ_MS = 1_000;

/** For a read that a write needs. Finished results are stored also after an abort, but no run waits for a store that never answers. */
export async function unlessAborted<T>(
  reading: Promise<Result<T>>,
  signal: AbortSignal | undefined,
): Promise<Result<T>> {
  if (signal === undefined) return reading;
  const over = new AbortController();
  let unsubscribe = () => {};
  const givenUp = new Promise<Result<T>>((resolve) => {
    unsubscribe = onAbort(signal, async () => {
      await sleep(ABORTED_READ_MS, over.signal);
      const reason = "the run was aborted while the conversation was read";
      resolve(createFailure(createMemoryStorageError("readConversation", reason)));
    });
  });
  try {
    return await Promise.race([reading, givenUp]);
  } finally {
    unsubscribe();
    over.abort();
  }
}
