import { addressSchema, connect } from "../stores/connect.ts";
import { BYSTANDER } from "../stores/redis.ts";
import { nextTurn } from "../turns.ts";
import { type BystanderReport, bystanderRequestSchema } from "./bystander-messages.ts";

/**
 * A process that uses a store while another clears a user in it: one ping and one append to a conversation of somebody
 * else, again and again. On request it tells how long the longest of each took.
 */
const address = addressSchema.parse(JSON.parse(process.argv[2] ?? ""));
const { provider, ping } = await connect(address, { name: BYSTANDER, connections: 1 });

const fresh = (): BystanderReport => ({ rounds: 0, longestPingMs: 0, longestAppendMs: 0 });
let report = fresh();

process.on("message", (message) => {
  if (bystanderRequestSchema.parse(message) === "report") process.send?.(report);
  report = fresh();
});
process.on("disconnect", () => process.exit());
process.send?.(report);

for (let round = 0; ; round++) {
  const start = performance.now();
  await ping();
  const pinged = performance.now();
  // Not one conversation for ever: it would grow without bound.
  const options = { createIfMissing: "unowned" } as const;
  const result = await provider.appendMessages(`bystander-${round % 100}`, nextTurn(), {}, options);
  if (!result.success) throw result.error;
  const appended = performance.now();
  report = {
    rounds: report.rounds + 1,
    longestPingMs: Math.max(report.longestPingMs, pinged - start),
    longestAppendMs: Math.max(report.longestAppendMs, appended - pinged),
  };
}
