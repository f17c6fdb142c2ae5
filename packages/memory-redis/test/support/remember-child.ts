/** Waits for a line, then remembers facts of the user "u" at once, and prints how many were stored. */
import { createRedisUserMemory } from "../../src/user-memory/index.ts";

const [url = "", keyPrefix = "", name = "", count = ""] = process.argv.slice(2);
const memory = await createRedisUserMemory({ url, keyPrefix });
console.log("ready");
process.stdin.once("data", async () => {
  const results = await Promise.allSettled(
    Array.from({ length: Number(count) }, (_, n) => memory.remember("u", `Owns car ${n} of house ${name}`)),
  );
  await memory.close();
  console.log(`stored ${results.filter(({ status }) => status === "fulfilled").length}`);
  process.stdin.pause();
});
