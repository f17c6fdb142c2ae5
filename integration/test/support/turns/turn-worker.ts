import { createTurnConfig } from "./agent.ts";
import { takeBursts, takeLane } from "./lane.ts";
import { type FromWorker, type TurnLoad, toWorkerSchema } from "./messages.ts";
import { countCalls, openStore } from "./store.ts";

/** A forked process that takes the turns of one load after the other. It opens the store and waits for the start signal. */

/** Longer than any turn of a test waits, so a slow machine causes no failure. */
const QUEUE_TIMEOUT_MS = 280_000;

const say = (message: FromWorker): void => void process.send?.(message);

async function open(load: TurnLoad): Promise<() => Promise<void>> {
  const { conversations, lanes, burst, window, modelMs, concurrency, leaseMs } = load;
  const store = await openStore(load);
  const { provider, calls } = countCalls(store);
  const memory = {
    provider,
    autoStore: true,
    concurrency,
    leaseMs,
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
    ...(window === undefined ? {} : { window: { maxMessages: window } }),
  };
  const worker = { load, config: createTurnConfig(modelMs), memory };
  const takeLanes = () =>
    Promise.all(
      Array.from({ length: conversations * lanes }, (_, index) => {
        const place = { conversation: index % conversations, lane: Math.floor(index / conversations) };
        return takeLane(worker, place, say);
      }),
    );
  return async () => {
    await (burst === undefined ? takeLanes() : takeBursts(worker, burst, say));
    await store.close();
    say({ kind: "done", calls: calls() });
  };
}

let go: (() => Promise<void>) | undefined;

process.on("message", async (data) => {
  const message = toWorkerSchema.parse(data);
  if (message.kind === "go") return go?.();
  go = await open(message.load);
  say({ kind: "opened" });
});
