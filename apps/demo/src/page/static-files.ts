import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Nothing from elsewhere, and nothing inline: what a reply or a fact says can't run, and can't fetch anything. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
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

/** Answers for the built page. `undefined`: no file of it has this path. */
export type StaticFiles = (path: string) => Response | undefined;

/** Reads the folder once: its files are few, and only they are served. */
export async function readStaticFiles(folder: string): Promise<StaticFiles> {
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
