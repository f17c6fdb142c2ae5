import { readdir, readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { serve } from "@hono/node-server";
import { runInbox, runLedger } from "@jaf/core";
import { createServerApp, type ServerApp } from "@jaf/server";
import { createMessageSearch, processExtractions } from "@jaf/user-memory";
import type { ChosenModel } from "../assistant/choose-model.ts";
import { extractionOptions, withOwnWordsOnly } from "../assistant/extraction.ts";
import { titleFor } from "../chat/conversations.ts";
import { knownFacts } from "../chat/facts.ts";
import { Failure } from "../exit.ts";
import { afterCrash, type OpenedStore } from "../storage/open-store.ts";
import { createDemoRoutes } from "./demo-routes.ts";
import { createPageAssistant, type PageContext } from "./page-assistant.ts";
import { createSamples } from "./samples.ts";

export interface ServePageOptions {
  readonly store: OpenedStore;
  readonly userId: string;
  readonly model: ChosenModel<PageContext>;
  /** The folder of the built page. */
  readonly page: string;
  /** Default: the usual port, or any free one. */
  readonly port: number | undefined;
  /** How many tokens a day the user's model calls may use. Default: any number. */
  readonly budget?: number | undefined;
  /** Whether a supervisor restarts this process if it is killed. */
  readonly supervised: boolean;
}

export interface ServedPage {
  readonly url: string;
  /** Finishes running turns or leaves them to the next process. */
  readonly close: () => Promise<void>;
}

const HOST = "127.0.0.1";
const USUAL_PORT = 4_780;
const API = "/api";
const DEMO = "/demo";

/** Short times, because the folder has one process at a time: it soon continues a dead process's turns. */
const TURNS = { leaseSeconds: 2, heartbeatMs: 500, recoverMs: 500 } as const;
const SHUTDOWN_MS = 5_000;
const KILL_AFTER_MS = 50;

/** Serves the page, the routes of `@jaf/server` and the demo's own routes on one origin, on loopback only. */
export async function servePage(options: ServePageOptions): Promise<ServedPage> {
  const { store, userId, page } = options;
  let answer: (request: Request) => Response | Promise<Response> = () => starting();
  const { server, port } = await listen((request) => answer(request), options.port);
  try {
    const files = await readStaticFiles(page);
    const hosts = [`${HOST}:${port}`, `localhost:${port}`];
    const app = await createApp(options, hosts);
    const demo = createDemoRoutes({
      about: {
        model: options.model.notice,
        store: store.notice ?? "Everything is stored in a folder on this machine.",
        supervised: options.supervised,
      },
      samples: createSamples(store.provider),
      ...{ userId, hosts },
      kill: () => setTimeout(() => process.kill(process.pid, "SIGKILL"), KILL_AFTER_MS),
    });
    answer = (request) => {
      const url = new URL(request.url);
      const path = url.pathname;
      if (path.startsWith(`${API}/`)) return app.fetch(at(request, url, path.slice(API.length)));
      if (path.startsWith(`${DEMO}/`)) return demo(request, path.slice(DEMO.length));
      const file = request.method === "GET" || request.method === "HEAD" ? files(path) : undefined;
      return file ?? new Response("Page not found.", { status: 404, headers: PAGE_HEADERS });
    };
    // Facts that a killed process hasn't extracted yet.
    await processExtractions(store.userMemory, { ...extractionOptions, extract: "verbatim" });
    return {
      url: `http://${HOST}:${port}`,
      close: async () => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        await app.close();
        server.closeAllConnections();
        await closed;
      },
    };
  } catch (thrown) {
    server.close();
    server.closeAllConnections();
    throw thrown;
  }
}

async function createApp(
  { store, userId, model, budget: maxTokens }: ServePageOptions,
  allowedHosts: readonly string[],
): Promise<ServerApp> {
  const { provider, notes } = store;
  const userMemory = withOwnWordsOnly(store.userMemory);
  const context = (): PageContext => ({
    ...{ userId, notes, userMemory },
    now: () => new Date(),
    knownFacts: () => knownFacts(store, userId),
  });
  const { turnLog, inbox, timers } = await store.openTurnStores();
  const messageSearch = createMessageSearch(provider);
  return createServerApp<PageContext>(
    [createPageAssistant(messageSearch)],
    {
      ...{
        modelProvider: model.modelProvider,
        memory: { ...afterCrash, inbox: runInbox(inbox) },
        userMemory,
      },
      ledger: runLedger({ store: store.ledger }),
      ...(maxTokens === undefined ? {} : { budget: { user: { maxTokens } } }),
    },
    {
      ...{ defaultMemoryProvider: provider, turnLog, timers, context, messageSearch },
      authenticate: () => ({ userId }),
      ...{ titleOf: titleFor, allowedHosts, turns: TURNS, shutdownMs: SHUTDOWN_MS },
    },
  );
}

const starting = (): Response =>
  new Response("The server is starting.", { status: 503, headers: { ...PAGE_HEADERS, "retry-after": "1" } });

/** Returns the request with another path. */
function at(request: Request, url: URL, path: string): Request {
  const inner = new URL(url);
  inner.pathname = path;
  return new Request(inner, request);
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** Listens on the given port; else on the usual one, or on any free one if that is in use. */
async function listen(
  fetch: Fetch,
  asked: number | undefined,
): Promise<{ readonly server: Server; readonly port: number }> {
  try {
    return await listenAt(fetch, asked ?? USUAL_PORT);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EADDRINUSE") throw thrown;
    if (asked !== undefined) throw new Failure(`Port ${asked} is in use. Choose another one with --port N.`);
    return listenAt(fetch, 0);
  }
}

function listenAt(fetch: Fetch, port: number): Promise<{ readonly server: Server; readonly port: number }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: HOST }) as Server;
    server.once("error", reject);
    server.once("listening", () => {
      const address = server.address();
      resolve({ server, port: typeof address === "object" && address !== null ? address.port : port });
    });
  });
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Forbids foreign and inline content, so replies and facts can't run scripts or fetch anything. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** Returns the response for a path; `undefined` if the page has no such file. */
type StaticFiles = (path: string) => Response | undefined;

/** Reads the folder once. Only these files are served. */
async function readStaticFiles(folder: string): Promise<StaticFiles> {
  const files = new Map<
    string,
    { readonly bytes: Uint8Array<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> }
  >();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const cached = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    const headers = { ...PAGE_HEADERS, "content-type": type, "cache-control": cached };
    files.set(path, { bytes: new Uint8Array(await readFile(file)), headers });
  }
  return (path) => {
    const file = files.get(path === "/" ? "/index.html" : path);
    return file === undefined ? undefined : new Response(file.bytes, { headers: file.headers });
  };
}
