import { once } from "node:events";
import { connect } from "node:net";

export type RedisReply = string | number | null | readonly RedisReply[];

/** Thrown for an error reply of the server. */
class RedisReplyError extends Error {}

interface Parsed {
  readonly reply: RedisReply;
  readonly end: number;
}

function parseArray(text: string, length: number, start: number): Parsed | undefined {
  const replies: RedisReply[] = [];
  let end = start;
  for (let index = 0; index < length; index++) {
    const parsed = parse(text, end);
    if (parsed === undefined) return undefined;
    replies.push(parsed.reply);
    end = parsed.end;
  }
  return { reply: replies, end };
}

/** `undefined` while the reply is incomplete. */
function parse(text: string, start: number): Parsed | undefined {
  const lineEnd = text.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const [type, line, end] = [text[start], text.slice(start + 1, lineEnd), lineEnd + 2];
  if (type === "-") throw new RedisReplyError(line);
  if (type === "+") return { reply: line, end };
  if (type === ":") return { reply: Number(line), end };
  const length = Number(line);
  if (length < 0) return { reply: null, end };
  if (type === "*") return parseArray(text, length, end);
  return text.length < end + length + 2
    ? undefined
    : { reply: text.slice(end, end + length), end: end + length + 2 };
}

/**
 * Runs one command on a separate connection, for readiness checks without a client library. Rejects if the server can't be
 * reached or replies with an error.
 */
export async function redisCommand(port: number, ...args: readonly string[]): Promise<RedisReply> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    const parts = args.map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`);
    socket.write(`*${args.length}\r\n${parts.join("")}`);
    let text = "";
    for await (const chunk of socket.setEncoding("latin1")) {
      text += chunk;
      const parsed = parse(text, 0);
      if (parsed !== undefined) return parsed.reply;
    }
    throw new Error(`The server on port ${port} closed the connection.`);
  } finally {
    socket.destroy();
  }
}

export type RedisRole =
  | { readonly role: "master"; readonly replicas: number }
  | { readonly role: "replica"; readonly masterPort: number; readonly linked: boolean }
  | { readonly role: "unreachable" };

/** Returns the server's current role. */
export async function redisRole(port: number): Promise<RedisRole> {
  try {
    const reply = await redisCommand(port, "ROLE");
    if (!Array.isArray(reply)) return { role: "unreachable" };
    if (reply[0] === "master") return { role: "master", replicas: reply[2]?.length ?? 0 };
    return { role: "replica", masterPort: Number(reply[2]), linked: reply[3] === "connected" };
  } catch {
    return { role: "unreachable" };
  }
}
