import { onAbort } from "@jaf/memory/engine";
import { pause } from "../turns/pause.ts";

const LOOK_MS = 1_000;

export interface ApprovalFeeds {
  /** The user's list as a text, whenever it changes, until the signal is aborted. Throws what reading it threw. */
  readonly follow: (userId: string, signal: AbortSignal) => AsyncGenerator<string, void, undefined>;
}

interface Feed {
  readonly ending: AbortController;
  readonly waiting: Set<() => void>;
  readers: number;
  latest: string | undefined;
  failure: { readonly thrown: unknown } | undefined;
}

/** Looks once for all streams of a user, while there are any. `createRead` makes what reads the user's list. */
export function createApprovalFeeds(createRead: (userId: string) => () => Promise<unknown>): ApprovalFeeds {
  const feeds = new Map<string, Feed>();

  function leave(userId: string, feed: Feed): void {
    if (feeds.get(userId) === feed) feeds.delete(userId);
  }

  async function run(userId: string, feed: Feed): Promise<void> {
    const { signal } = feed.ending;
    const read = createRead(userId);
    try {
      while (!signal.aborted) {
        const text = JSON.stringify(await read());
        if (text !== feed.latest) {
          feed.latest = text;
          wake(feed);
        }
        await pause(LOOK_MS, signal);
      }
    } catch (thrown) {
      feed.failure = { thrown };
      // Who comes back begins another.
      leave(userId, feed);
      wake(feed);
    }
  }

  function start(userId: string): Feed {
    const feed: Feed = {
      ...{ ending: new AbortController(), waiting: new Set(), readers: 0 },
      ...{ latest: undefined, failure: undefined },
    };
    feeds.set(userId, feed);
    void run(userId, feed);
    return feed;
  }

  return {
    follow: async function* (userId, signal) {
      const feed = feeds.get(userId) ?? start(userId);
      feed.readers += 1;
      try {
        let told: string | undefined;
        while (!signal.aborted) {
          if (feed.failure !== undefined) throw feed.failure.thrown;
          if (feed.latest === told) await changed(feed, signal);
          else {
            told = feed.latest;
            if (told !== undefined) yield told;
          }
        }
      } finally {
        feed.readers -= 1;
        if (feed.readers === 0) {
          leave(userId, feed);
          feed.ending.abort();
        }
      }
    },
  };
}

function wake({ waiting }: Feed): void {
  for (const done of [...waiting]) done();
}

/** Resolves when the list has changed or can't be read, or the signal is aborted. */
const changed = ({ waiting }: Feed, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stopListening = onAbort(signal, () => done());
    function done(): void {
      waiting.delete(done);
      stopListening();
      resolve();
    }
    waiting.add(done);
  });
