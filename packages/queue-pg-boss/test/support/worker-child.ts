import { createPgBossQueue } from "../../src/index.ts";

/**
 * Works on a queue until it is killed, and prints each delivery. Turns whose id begins with `hang` never end, and those
 * whose id begins with `slow` take a second.
 */
const [connectionString = "", schema = ""] = process.argv.slice(2);
const queue = createPgBossQueue({ connectionString, schema });
queue.work({
  concurrency: 4,
  handle: async ({ turnId }) => {
    console.log(`delivered ${turnId}`);
    if (turnId.startsWith("hang")) await new Promise(() => {});
    if (turnId.startsWith("slow")) await new Promise((resolve) => setTimeout(resolve, 1_000));
    console.log(`ended ${turnId}`);
  },
  onError: () => console.log("error"),
});
console.log("ready");
