import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPglite } from "../../src/pglite/index.ts";
import { createProvider } from "./provider.ts";

/** Opens, uses and closes. */
async function using<T>(
  folder: string,
  use: (provider: Awaited<ReturnType<typeof createProvider>>) => Promise<T>,
) {
  const { client, close } = await openPglite(folder);
  try {
    return await use(await createProvider({}, client));
  } finally {
    await close();
  }
}

/** Returns the messages of conversation `c`. */
export const contents = (folder: string): Promise<readonly string[]> =>
  using(folder, async (provider) => {
    const result = await provider.getConversation("c");
    if (!result.success) throw new Error(result.error.message);
    return result.data?.messages.map(({ content }) => content) ?? [];
  });

/** A temporary folder with a database and a conversation `c` with one message, "kept". */
export async function createFolders() {
  const root = mkdtempSync(join(tmpdir(), "jaf-pglite-"));
  const original = join(root, "original", "deeper");
  await using(original, (provider) => provider.appendMessages("c", [{ role: "user", content: "kept" }]));
  let copies = 0;
  return {
    root,
    original,
    copy: (to = join(root, `copy-${copies++}`)): string => {
      cpSync(original, to, { recursive: true });
      return to;
    },
    remove: () => rmSync(root, { recursive: true }),
  };
}
