import { UserMemoryError } from "@jaf/user-memory";
import { type Command, parseCommand, USAGE } from "./arguments.ts";
import type { AssistantContext } from "./assistant/agent.ts";
import { chooseModel } from "./assistant/choose-model.ts";
import { chat } from "./chat/chat.ts";
import { createTerminal } from "./chat/terminal.ts";
import { Failure, type Leaving, onLeave } from "./exit.ts";
import { openLedger, readExecutions } from "./replay/ledger.ts";
import { checkRecordings } from "./replay/recording.ts";
import { replay } from "./replay/replay.ts";
import { describeExecutions, describeReplayed, describeVerification } from "./replay/report.ts";
import { verify } from "./replay/verify.ts";
import { openStore, type Store } from "./storage/open-store.ts";

const WORD_DELAY_MS = 15;

async function runChat(
  store: Store,
  { user }: Command & { command: "chat" },
  leaving: Leaving,
): Promise<number> {
  const terminal = createTerminal(leaving.leave);
  leaving.signal.addEventListener("abort", terminal.close);
  try {
    const wordDelayMs = terminal.interactive ? WORD_DELAY_MS : 0;
    const { modelProvider, notice } = chooseModel<AssistantContext>(process.env, { wordDelayMs });
    const answered = await chat({
      store,
      userId: user,
      modelProvider,
      notices: [notice, ...(store.notice === undefined ? [] : [store.notice]), "/help lists the commands."],
      terminal,
      signal: leaving.signal,
    });
    // Ctrl-C is a way to leave a chat, not a failure; a script wants to know of an answer that failed.
    return answered || terminal.interactive ? 0 : 1;
  } finally {
    terminal.close();
  }
}

async function runReplay(
  store: Store,
  { file, data }: Command & { command: "replay" },
  leaving: Leaving,
): Promise<number> {
  const { provider } = store;
  const replayed = await replay({ file, provider, ledger: openLedger(data), signal: leaving.signal });
  console.log(describeReplayed(replayed));
  return leaving.exitCode();
}

async function runVerify(
  store: Store,
  { file, data }: Command & { command: "verify" },
  leaving: Leaving,
): Promise<number> {
  const verification = await verify(file, store.provider, leaving.signal);
  console.log(describeVerification(verification));
  const executions = readExecutions(data);
  if (executions !== undefined) console.log(describeExecutions(executions));
  const sound = verification.differences.length === 0 && (executions?.repeatedAfterFinish ?? 0) === 0;
  if (!verification.finished) return leaving.exitCode();
  return sound ? 0 : 1;
}

/** The exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const leaving = onLeave();
  const command = parseCommand(argv);
  if (command.command === "help") {
    console.log(USAGE);
    return 0;
  }
  if (command.command === "page") return (await import("./server/run-page.ts")).runPage(command, leaving);
  // Before the folder is touched: a recording that can't be used leaves no trace.
  if ("file" in command) await checkRecordings(command.file);
  const store = await openStore(command.data, process.env);
  try {
    if (leaving.signal.aborted) return leaving.exitCode();
    switch (command.command) {
      case "serve":
        return await (await import("./server/run-page.ts")).runServe(store, command, leaving);
      case "chat":
        return await runChat(store, command, leaving);
      case "replay":
        return await runReplay(store, command, leaving);
      case "verify":
        return await runVerify(store, command, leaving);
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
// Not by itself: a database that a full disk has stopped keeps the process busy for a while.
process.stdout.write("", () => process.exit(exitCode));
