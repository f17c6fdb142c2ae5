import { createFileProvider } from "../../src/index.ts";
import { said, say, UNOWNED } from "./messages.ts";

/** Continues to count in two conversations until it is killed, and prints each number once it is acknowledged. */
const UNDER_WAY = 8;
const [folder = ""] = process.argv.slice(2);
const provider = await createFileProvider({ folder, compactAfterLines: 20 });

async function countOn(name: string, maxMessages?: number): Promise<void> {
  let next = Number((await said(provider, name)).at(-1) ?? 0) + 1;
  const write = async () => {
    for (;;) {
      const number = next++;
      const options = { ...UNOWNED, ...(maxMessages === undefined ? {} : { maxMessages }) };
      const result = await provider.appendMessages(name, [say(String(number))], undefined, options);
      if (!result.success) throw new Error(result.error.message);
      process.stdout.write(`${name} ${number}\n`);
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, write));
}

await Promise.all([countOn("all"), countOn("last", 5)]);
