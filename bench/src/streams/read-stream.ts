import { type Agent, request } from "node:http";
import type { RawEvent } from "./server-messages.ts";

export interface StreamRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly userId: string;
  readonly body?: string;
  readonly agent: Agent;
  readonly onEvent: (event: RawEvent) => void;
}

/** Reads a stream of server-sent events to its end with minimal work. Rejects for any status but 200. */
export const readStream = ({ url, method, userId, body, agent, onEvent }: StreamRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { accept: "text/event-stream", "content-type": "application/json", "x-user": userId };
    const sent = request(url, { method, headers, agent }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`The server answered ${response.statusCode}.`));
        return;
      }
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        let from = 0;
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n", from)) {
          const event = parse(text.slice(from, end));
          if (event !== undefined) onEvent(event);
          from = end + 2;
        }
        text = text.slice(from);
      });
      response.on("end", resolve);
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });

function parse(block: string): RawEvent | undefined {
  let [id, event, data]: (string | undefined)[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("id:")) id = line.slice(3).trimStart();
    else if (line.startsWith("event:")) event = line.slice(6).trimStart();
    else if (line.startsWith("data:")) data = line.slice(5).trimStart();
  }
  if (data === undefined) return undefined;
  return { ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }), data };
}
