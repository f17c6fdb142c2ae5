import { createJafClient, isJafClientError } from "@jaf/server/client";

/** The path of the server's routes. */
const API = "/api";
/** The path of the demo's own routes. */
const DEMO = "/demo";

export const server = createJafClient({ baseUrl: API });

/** An error's text for the user. */
export function failureText(thrown: unknown): string {
  if (!isJafClientError(thrown)) return thrown instanceof Error ? thrown.message : "Something went wrong.";
  if (thrown.code === "connection") return "The server can't be reached at the moment.";
  if (thrown.code === "running")
    return "A reply is already running here, e.g. for another tab. Send this when it is complete.";
  return thrown.message;
}

export const isUnreachable = (thrown: unknown): boolean =>
  isJafClientError(thrown) && thrown.code === "connection";

/** Calls a route of the demo. Throws an error with the server's answer if it fails. */
async function demoCall(
  method: "GET" | "POST" | "DELETE",
  path: string,
  body: object = {},
): Promise<unknown> {
  const response = await fetch(`${DEMO}${path}`, {
    method,
    ...(method === "GET"
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`The demo's server answered with status ${response.status}.`);
  return response.json();
}

export interface DemoAbout {
  readonly model: string;
  readonly store: string;
  /** Whether a supervisor restarts the server if it is killed. */
  readonly supervised: boolean;
  readonly samples: readonly string[];
}

export const demo = {
  about: () => demoCall("GET", "/about") as Promise<DemoAbout>,
  loadSamples: () => demoCall("POST", "/samples"),
  removeSamples: () => demoCall("DELETE", "/samples"),
  kill: () => demoCall("POST", "/kill"),
};
