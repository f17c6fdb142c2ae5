import type { Message } from "@jaf/memory";
import { inParallel } from "../lab.ts";
import { now } from "../statistics.ts";
import { connect } from "../stores/connect.ts";
import { nextTurn } from "../turns.ts";
import { conversationOf, textOf, userName, type WriterReport, writerSetupSchema } from "./load-messages.ts";

/** A process that writes turns to the conversations of its users, eight at a time, as the engine stores them. */
const WIDTH = 8;
const ATTEMPTS = 10;

const { address, firstUser, users, turns } = writerSetupSchema.parse(JSON.parse(process.argv[2] ?? ""));
const { provider, disconnect } = await connect(address, { name: "writer", connections: WIDTH });
const micros: number[] = [];
let failures = 0;

async function append(user: number, turn: number): Promise<void> {
  const messages = nextTurn().map(
    (message, at): Message => ({ ...message, content: textOf(user, 2 * turn + at, String(message.content)) }),
  );
  const metadata = { userId: userName(user), traceId: crypto.randomUUID() };
  const options = { createIfMissing: true, idempotencyKey: `${user}:${turn}` };
  const start = now();
  for (let attempt = 1; ; attempt++) {
    const written = await provider.appendMessages(conversationOf(user), messages, metadata, options);
    if (written.success) break;
    failures += 1;
    if (attempt === ATTEMPTS || written.error.retryable !== true) throw written.error;
  }
  micros.push(now() - start);
}

for (let turn = 0; turn < turns; turn++) {
  await inParallel(Array(users).keys(), WIDTH, (nth) => append(firstUser + nth, turn));
}
const report: WriterReport = { micros, failures };
process.send?.(report, () => process.disconnect());
await disconnect();
