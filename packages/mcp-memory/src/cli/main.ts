import { MemorySetupError } from "@jaf/memory/adapter";
import { UserMemoryError } from "@jaf/user-memory";
import { Failure } from "../failure.ts";
import { openTokens } from "../http/tokens.ts";
import { ownVersion } from "../own-version.ts";
import { openStores, type Stores } from "../stores.ts";
import { type Command, type Environment, parseArguments, USAGE } from "./arguments.ts";
import { runHealth } from "./health.ts";
import { runImport } from "./import.ts";
import { runReview } from "./review.ts";
import { serveHttp, serveOverStdio } from "./serve.ts";

/**
 * Runs the command line and returns the exit code. A server returns when it was stopped. Only commands write to stdout:
 * over stdio, it is the protocol's.
 */
export async function main(argv: readonly string[], environment: Environment): Promise<number> {
  try {
    await run(parseArguments(argv, environment));
    return 0;
  } catch (thrown) {
    console.error(`jaf-mcp-memory: ${explanationOf(thrown)}`);
    return 1;
  }
}

/** What went wrong, in one line. Anything unexpected keeps its stack. */
function explanationOf(thrown: unknown): string {
  const isKnown =
    thrown instanceof Failure || thrown instanceof MemorySetupError || thrown instanceof UserMemoryError;
  if (isKnown || thrown instanceof TypeError) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

async function run(given: Command): Promise<void> {
  switch (given.command) {
    case "help":
      return console.log(USAGE);
    case "version":
      return console.log(ownVersion);
    case "token add": {
      const token = await openTokens(given.tokensFile).add(given.userId);
      console.error(`A token of ${given.userId}. It isn't shown again:`);
      return console.log(token);
    }
    case "token list": {
      for (const { id, userId, at } of await openTokens(given.tokensFile).list())
        console.log(`${id}  ${at}  ${userId}`);
      return;
    }
    case "token remove":
      if (await openTokens(given.tokensFile).remove(given.id)) return console.error("The token was removed.");
      throw new Failure(`There is no token ${given.id}. List them: jaf-mcp-memory token list`);
    case "stdio":
      return withStores(given.store, (stores) => serveOverStdio(stores, given));
    case "http":
      return withStores(given.store, (stores) => serveHttp(stores, given));
    case "review":
      return withStores(given.store, (stores) => runReview(stores, given));
    case "health":
      return withStores(given.store, (stores) => runHealth(stores, given));
    case "import":
      return withStores(given.store, (stores) => runImport(stores, given));
  }
}

async function withStores(url: string, use: (stores: Stores) => Promise<void>): Promise<void> {
  const stores = await openStores(url);
  try {
    await use(stores);
  } finally {
    await stores.close();
  }
}
