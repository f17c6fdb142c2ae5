import { UserMemoryError } from "@jaf/user-memory";
import { type Command, parseCommand, USAGE } from "./arguments.ts";
import type { AssistantContext } from "./assistant/agent.ts";
import { chooseModel } from "./assistant/choose-model.ts";
import { chat } from "./chat/chat.ts";
import { createTerminal } from "./chat/terminal.ts";
import { type ExitRequest, Failure, listenForExit } from "./exit.ts";
import { openLedger, readExecutions } from "./replay/ledger.ts";
import { checkRecordings } from "./replay/recording.ts";
import { replay } from "./replay/replay.ts";
import { describeExecutions, describeReplayed, describeVerification } from "./replay/report.ts";
import { verify } from "./replay/verify.ts";
import { openStore, type Store } from "./storage/open-store.ts";

const WORD_DELAY_MS = 15;

const connectTo = async (file: string) =>
  (await import("./assistant/connect-servers.ts")).connectServers(file);

async function runChat(
  store: Store,
  { user, mcp }: Command & { command: "chat" },
  exit: ExitRequest,
): Promise<number> {
  const servers = mcp === undefined ? undefined : await connectTo(mcp);
  const terminal = createTerminal(exit.leave);
  exit.signal.addEventListener("abort", terminal.close);
  try {
    const wordDelayMs = terminal.interactive ? WORD_DELAY_MS : 0;
    const { modelProvider, notice } = chooseModel<AssistantContext>(process.env, { wordDelayMs });
    const answered = await chat({
      store,
      userId: user,
      modelProvider,
      notices: [
        ...[notice, store.notice, servers?.notice].filter((line) => line !== undefined),
        "/help lists the commands.",
      ],
      ...(servers === undefined ? {} : { servers }),
      terminal,
      signal: exit.signal,
    });
    // Ctrl-C is a normal way to leave a chat. A script must learn of a failed reply.
    return answered || terminal.interactive ? 0 : 1;
  } finally {
    terminal.close();
    await servers?.close();
  }
}

async function runReplay(
  store: Store,
  { file, data }: Command & { command: "replay" },
  exit: ExitRequest,
): Promise<number> {
  const { provider } = store;
  const replayed = await replay({ file, provider, ledger: openLedger(data), signal: exit.signal });
  console.log(describeReplayed(replayed));
  return exit.exitCode();
}

async function runVerify(
  store: Store,
  { file, data }: Command & { command: "verify" },
  exit: ExitRequest,
): Promise<number> {
  const verification = await verify(file, store.provider, exit.signal);
  console.log(describeVerification(verification));
  const executions = readExecutions(data);
  if (executions !== undefined) console.log(describeExecutions(executions));
  const sound = verification.differences.length === 0 && (executions?.repeatedAfterFinish ?? 0) === 0;
  if (!verification.finished) return exit.exitCode();
  return sound ? 0 : 1;
}

/** Returns the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const exit = listenForExit();
  const command = parseCommand(argv);
  if (command.command === "help") {
    console.log(USAGE);
    return 0;
  }
  if (command.command === "page") return (await import("./server/run-page.ts")).runPage(command, exit);
  // Before the folder is opened, so an unusable recording changes nothing.
  if ("file" in command) await checkRecordings(command.file);
  const store = await openStore(command.data, process.env);
  try {
    if (exit.signal.aborted) return exit.exitCode();
    switch (command.command) {
      case "serve":
        return await (await import("./server/run-page.ts")).runServe(store, command, exit);
      case "chat":
        return await runChat(store, command, exit);
      case "replay":
        return await runReplay(store, command, exit);
      case "verify":
        return await runVerify(store, command, exit);
    }
  } finally {
    await store.close();
  }
}

async function exitCodeOf(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (thrown) {
    if (!(thrown instanceof Failure || thrown instanceof UserMemoryError)) throw thrown;
    console.error(thrown.message);
    return thrown instanceof Failure ? thrown.exitCode : 1;
  }
}

const exitCode = await exitCodeOf(process.argv.slice(2));
// Exits explicitly, because a database on a full disk keeps the process busy for a while.
process.stdout.write("", () => process.exit(exitCode));
