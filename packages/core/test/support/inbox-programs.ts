import { createInMemoryInbox, createInMemoryProvider, type Inbox, type Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import * as fc from "fast-check";
import * as z from "zod";
import {
  approve,
  createAgentClient,
  createTool,
  type ModelProvider,
  type PromptResult,
  reject,
  runInbox,
} from "../../src/index.ts";
import { CRASHES, openProcess, type Strike } from "./inbox-process.ts";
import { storedMessages } from "./stores.ts";

/** A run of one client. */
interface Act {
  /** `prompt`: says something new. `continue`: says nothing. `decide`: answers the calls that wait. */
  readonly kind: "prompt" | "continue" | "decide";
  readonly strike: Strike | undefined;
  /** The crash of the second attempt, which a client makes after a crash. */
  readonly again: Strike | undefined;
  /** Before which external calls of the run the user sends a message. */
  readonly sends: readonly number[];
  /** Whether a decision approves. */
  readonly approves: boolean;
}

type Operation =
  | { readonly kind: "send"; readonly strike: Strike | undefined }
  /** An entry that no run can take. */
  | { readonly kind: "rubbish" }
  | { readonly kind: "run"; readonly act: Act }
  /** Two clients at once. */
  | { readonly kind: "both"; readonly acts: readonly [Act, Act] };

interface Program {
  readonly durability: "completed" | "turn" | "step";
  readonly concurrency: "reject" | "queue";
  readonly window: boolean;
  readonly operations: readonly Operation[];
}

const strikes = fc.option(
  fc.record({ at: fc.integer({ min: 1, max: 14 }), crash: fc.constantFrom(...CRASHES) }),
  {
    nil: undefined,
  },
);

const acts: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom("prompt", "prompt", "continue", "decide"),
  strike: strikes,
  again: strikes,
  sends: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  approves: fc.boolean(),
});

const programs: fc.Arbitrary<Program> = fc.record({
  durability: fc.constantFrom("completed", "turn", "step"),
  concurrency: fc.constantFrom("reject", "queue"),
  window: fc.boolean(),
  operations: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("send" as const), strike: strikes }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("rubbish" as const) }) },
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("run" as const), act: acts }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("both" as const), acts: fc.tuple(acts, acts) }) },
    ),
    { minLength: 1, maxLength: 8 },
  ),
});

const isReply = ({ role, tool_calls: calls }: Message) => role === "assistant" && calls === undefined;

const turnOf = (messages: readonly Message[]) => messages.slice(messages.findLastIndex(isReply) + 1);

const answerTo = (turn: readonly Message[]): string =>
  `re ${turn
    .filter(({ role }) => role === "user")
    .map(messageText)
    .join(" ")}`;

/** A model that decides by the history alone: a reply that repeats what was said, or a call of a tool. */
const model: ModelProvider<unknown> = {
  getCompletion: async ({ messages }) => {
    const turn = turnOf(messages);
    const steps = turn.filter(({ role }) => role === "assistant").length;
    const last = turn.at(-1);
    const number = Number(/\d+$/.exec(last?.role === "user" ? messageText(last) : "0")?.[0] ?? 0);
    const name = ["", "work", "pay"][(number + steps) % 3];
    if (steps >= 3 || !name) return { message: { content: answerTo(turn) } };
    const id = `call-${messages.length}-${number}`;
    return {
      message: {
        content: "",
        tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }],
      },
    };
  },
};

/** An inbox that notes the order in which messages were put. */
function notingInbox(order: string[]): Inbox {
  const inner = createInMemoryInbox();
  return {
    ...inner,
    put: async (entry) => {
      const stored = await inner.put(entry);
      const { content } = JSON.parse(entry.content) as { readonly content?: string };
      if (stored.success && stored.data.isNew && content !== undefined) order.push(content);
      return stored;
    },
  };
}

const USER = "ada";
const ID = "c";
/** Earlier turns. With a window, runs load only the end of the conversation. */
const HISTORY = Array.from({ length: 20 }, (_, turn): readonly Message[] => [
  { role: "user", content: `h${turn}` },
  { role: "assistant", content: `re h${turn}` },
]).flat();
/** How often a client tries until it gives up, which is a fault of the engine. */
const MOST_ATTEMPTS = 300;

/** Plays a program. Resolves with the broken rules. */
async function playProgram({ durability, concurrency, window, operations }: Program) {
  const provider = createInMemoryProvider();
  const order: string[] = [];
  const inbox = notingInbox(order);
  const broken: string[] = [];
  const done: string[] = [];
  let numbers = 0;
  let last: unknown;
  let before: readonly Message[] = [];
  await provider.appendMessages(ID, HISTORY, { userId: USER }, { createIfMissing: true });

  const clientOf = ({
    strike,
    sends = [],
  }: {
    readonly strike?: Strike | undefined;
    readonly sends?: readonly number[];
  }) => {
    const process = openProcess(
      { provider, inbox, model },
      { strike, before: new Map(sends.map((at) => [at, () => send(undefined)])) },
    );
    const tool = (name: string, needsApproval: boolean) =>
      createTool({
        name,
        description: name,
        parameters: z.object({}),
        needsApproval,
        execute: (_, __, call) => process.tool(async () => `${name} of ${call?.toolCallId}`),
      });
    const client = createAgentClient(
      { name: "helper", instructions: "Help.", tools: [tool("work", false), tool("pay", true)] },
      {
        modelProvider: process.modelProvider,
        context: {},
        store: process.provider,
        modelRetry: { maxAttempts: 1 },
        memory: {
          ...{ durability, concurrency, inbox: runInbox(process.inbox), queueTimeoutMs: 20_000 },
          ...(window && { window: { memoryType: "message_window", maxMessages: 12 } as const }),
        },
      },
    );
    return { client: client.forUser(USER).continue(ID), signal: process.signal };
  };

  /** The user sends a message, again under the same key until it was taken. */
  async function send(strike: Strike | undefined): Promise<void> {
    numbers += 1;
    const text = `s${numbers}`;
    let next = strike && { ...strike, at: 1 + (strike.at % 2) };
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const sent = await clientOf({ strike: next })
        .client.send(text, { key: text })
        .catch(() => undefined);
      if (sent?.success) return;
      next = undefined;
    }
    broken.push(`${text} couldn't be sent`);
  }

  async function putRubbish(): Promise<void> {
    numbers += 1;
    await inbox.put({ conversationId: ID, userId: USER, key: `rubbish ${numbers}`, content: "{}" });
  }

  type Attempt = Parameters<typeof clientOf>[0];
  const prompt = async (
    given: Attempt,
    input: string | [],
    options: Parameters<ReturnType<typeof clientOf>["client"]["prompt"]>[1] = {},
  ): Promise<PromptResult<unknown> | undefined> => {
    const { client, signal } = clientOf(given);
    const result = await client.prompt(input, { ...options, signal }).catch((thrown: unknown) => {
      last = thrown;
      return undefined;
    });
    if (result?.outcome.status === "error") last = result.outcome.error;
    // Another client can hold the lease.
    if (!hasEnded(result)) await new Promise((resolve) => setTimeout(resolve, 1));
    return result;
  };
  const hasEnded = (result: PromptResult<unknown> | undefined): result is PromptResult<unknown> =>
    result !== undefined && result.outcome.status !== "error";

  /** Goes on with what is stored until a run has ended. */
  async function goOn(first: Attempt): Promise<PromptResult<unknown> | undefined> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const result = await prompt(attempt === 1 ? first : {}, []);
      if (hasEnded(result)) return result;
    }
    broken.push(`a run without input never ended: ${JSON.stringify(last)} ${last}`);
    return undefined;
  }

  async function say(act: Act, isAlone: boolean): Promise<void> {
    numbers += 1;
    const text = `p${numbers}`;
    const runId = `run ${numbers}` as never;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const given = attempt === 1 ? act : { strike: attempt === 2 ? act.again : undefined };
      const result = await prompt(given, text, { runId });
      if (hasEnded(result)) break;
      // Another client can have said something behind it. Then the same again would be another turn.
      const stored = await storedMessages(provider);
      if (!isAlone && stored.some((message) => messageText(message) === text)) {
        await goOn({});
        break;
      }
      if (attempt === MOST_ATTEMPTS) broken.push(`${text} never ended`);
    }
    done.push(text);
  }

  async function decide(act: Act): Promise<void> {
    const waiting = await goOn({});
    const approvals = (waiting?.interruptions ?? []).flatMap((call) =>
      call.type === "approval" ? [act.approves ? approve(call) : reject(call)] : [],
    );
    if (approvals.length === 0) return;
    const result = await prompt(act, "", { approvals });
    if (!hasEnded(result)) await goOn({ strike: act.again });
  }

  const perform = async (act: Act, isAlone: boolean): Promise<void> => {
    if (act.kind === "prompt") return say(act, isAlone);
    if (act.kind === "decide") return decide(act);
    await goOn(act);
  };

  async function check(): Promise<void> {
    const stored = await storedMessages(provider);
    const isPrefix = before.every(
      (message, index) => JSON.stringify(message) === JSON.stringify(stored[index]),
    );
    if (!isPrefix) broken.push("a stored message has changed");
    before = stored;
  }

  for (const operation of operations) {
    if (operation.kind === "send") await send(operation.strike);
    else if (operation.kind === "rubbish") await putRubbish();
    else if (operation.kind === "run") await perform(operation.act, true);
    else await Promise.all(operation.acts.map((act) => perform(act, false)));
    await check();
  }
  await settle();
  const messages = await storedMessages(provider);
  const left = await inbox.read({ conversationId: ID });
  if (!left.success || left.data.length > 0) broken.push("entries are left");
  return [...broken, ...faultsIn(messages, { order, done, window })];

  /** Takes all that waits and approves all calls. */
  async function settle(): Promise<void> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const result = await goOn({});
      const approvals = (result?.interruptions ?? []).flatMap((call) =>
        call.type === "approval" ? [approve(call)] : [],
      );
      const left = await inbox.read({ conversationId: ID });
      if (approvals.length > 0) await prompt({}, "", { approvals });
      else if (left.success && left.data.length === 0) return;
    }
    broken.push("the conversation never came to rest");
  }
}

interface Expected {
  /** The messages of the inbox, in the order in which they were put. */
  readonly order: readonly string[];
  /** The prompts. */
  readonly done: readonly string[];
  readonly window: boolean;
}

/** Compares the conversation with what was said. */
function faultsIn(messages: readonly Message[], { order, done, window }: Expected): readonly string[] {
  const faults: string[] = [];
  const said = messages.filter(({ role }) => role === "user").map(messageText);
  const sent = said.filter((text) => text.startsWith("s"));
  if (sent.join(" ") !== order.join(" ")) faults.push(`sent ${order.join(" ")}, stored ${sent.join(" ")}`);
  for (const text of done) {
    const count = said.filter((each) => each === text).length;
    if (count !== 1) faults.push(`${text} is stored ${count} times`);
  }
  let turn: Message[] = [];
  for (const message of messages) {
    if (isReply(message) && !window && messageText(message) !== answerTo(turn))
      faults.push(`${answerTo(turn)} was answered by ${messageText(message)}`);
    turn = isReply(message) ? [] : [...turn, message];
  }
  if (turn.length > 0) faults.push("the last turn has no reply");
  return faults;
}

/** Plays random programs, several at a time. Resolves with the broken rules, each with its program. */
export async function playPrograms(options: { readonly seed: number; readonly count: number }) {
  const broken: string[] = [];
  const queue = fc.sample(programs, { seed: options.seed, numRuns: options.count }).values();
  const work = async () => {
    for (const program of queue) {
      const faults = await playProgram(program);
      if (faults.length > 0) broken.push(`${faults.join("; ")}: ${JSON.stringify(program)}`);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return broken;
}
