import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const TSSERVER = createRequire(import.meta.url).resolve("typescript/lib/tsserver.js");

export interface Definition {
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
}

interface Reply {
  readonly type: string;
  readonly request_seq?: number;
  readonly body?: {
    readonly definitions: readonly { readonly file: string; readonly start: { readonly line: number } }[];
  };
}

/**
 * Writes `code` to `file` in `folder` and asks TypeScript's language server, as editors do, where each name in its first line
 * is defined. That line is an import.
 */
export async function definitionsOf(
  folder: string,
  file: string,
  imports: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Definition>> {
  const path = join(folder, file);
  const lines = Object.entries(imports).map(([specifier, name]) => `import { ${name} } from "${specifier}";`);
  await writeFile(path, `${lines.join("\n")}\n`);
  const requests = [
    { command: "open", arguments: { file: path } },
    ...lines.map((line, index) => ({
      command: "definitionAndBoundSpan",
      arguments: { file: path, line: index + 1, offset: line.indexOf("{") + 3 },
    })),
  ];
  const replies = await ask(requests);
  return new Map(
    Object.keys(imports).map((specifier, index) => {
      const reply = replies.find(({ request_seq }) => request_seq === index + 1);
      const found = reply?.body?.definitions[0];
      if (found === undefined) throw new Error(`No definition for an import of ${specifier}.`);
      return [specifier, { file: found.file, line: found.start.line }];
    }),
  );
}

/** Sends all requests, each with its index as `seq`, and returns the replies. */
async function ask(requests: readonly object[]): Promise<readonly Reply[]> {
  const server = spawn(process.execPath, [TSSERVER, "--disableAutomaticTypingAcquisition"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  for (const [seq, request] of requests.entries())
    server.stdin.write(`${JSON.stringify({ seq, type: "request", ...request })}\n`);
  const replies: Reply[] = [];
  for await (const line of createInterface(server.stdout)) {
    if (!line.startsWith("{")) continue; // Headers, as in HTTP.
    const message: Reply = JSON.parse(line);
    if (message.type === "response") replies.push(message);
    // At the end of its input it ends, also if replies are still to be written.
    if (message.request_seq === requests.length - 1) server.stdin.end();
  }
  return replies;
}
