import type { Samples } from "./samples.ts";

/** Information about the demo for the page. */
interface DemoAbout {
  readonly model: string;
  readonly store: string;
  /** Whether a supervisor restarts the server if it is killed. */
  readonly supervised: boolean;
}

export interface DemoRoutesOptions {
  readonly about: DemoAbout;
  readonly samples: Samples;
  readonly userId: string;
  /** The allowed `Host` headers. */
  readonly hosts: readonly string[];
  /** Ends the process immediately, like a crash. */
  readonly kill: () => void;
}

const json = (value: unknown, status = 200): Response =>
  Response.json(value, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });

/** Creates the demo's own routes: sample conversations and a kill switch. */
export function createDemoRoutes({ about, samples, userId, hosts, kill }: DemoRoutesOptions) {
  return async (request: Request, path: string): Promise<Response> => {
    if (!isOwn(request, hosts)) return json({ error: "Pages of other origins can't use the demo." }, 403);
    switch (`${request.method} ${path}`) {
      case "GET /about":
        return json({ ...about, samples: await samples.list(userId) });
      case "POST /samples":
        await samples.load(userId);
        return json({ loaded: true });
      case "DELETE /samples":
        await samples.remove(userId);
        return json({ removed: true });
      case "POST /kill":
        if (!about.supervised) return json({ error: "This server has no supervisor to restart it." }, 409);
        kill();
        return json({ killed: true });
      default:
        return json({ error: "Not found." }, 404);
    }
  };
}

/** Whether the request is from the page itself, under an allowed host. Forms of other sites fail, because they can't send JSON. */
function isOwn({ headers, method }: Request, hosts: readonly string[]): boolean {
  const host = headers.get("host") ?? "";
  if (!hosts.includes(host)) return false;
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) return false;
  return method === "GET" || headers.get("content-type")?.startsWith("application/json") === true;
}
