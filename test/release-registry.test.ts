import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { presenceOf } from "../scripts/release/registry.ts";

/** Starts a server on loopback with the status and body of its answers by path. */
async function serve(
  answers: Readonly<Record<string, readonly [status: number, body: object]>>,
): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const [status, body] = answers[url] ?? [404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function tarballOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "jaf-tarball-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tarball = join(folder, "a.tgz");
  writeFileSync(tarball, text);
  return { name: "@jaf/a", version: "0.1.0", tarball };
}

const integrity = `sha512-${createHash("sha512").update("as built").digest("base64")}`;

it("finds whether a registry has a version, and with which content", async () => {
  const registry = await serve({ "/@jaf%2fa": [200, { versions: { "0.1.0": { dist: { integrity } } } }] });
  expect(await presenceOf(registry, tarballOf("as built"))).toBe("same");
  expect(await presenceOf(registry, tarballOf("another build"))).toBe("different");
  expect(await presenceOf(registry, { ...tarballOf("as built"), version: "0.2.0" })).toBe("missing");
  expect(await presenceOf(registry, { ...tarballOf("as built"), name: "@jaf/b" })).toBe("missing");
});

it("says what is wrong with a registry", async () => {
  const registry = await serve({ "/@jaf%2fa": [503, {}] });
  await expect(presenceOf(registry, tarballOf(""))).rejects.toThrow(/The registry answered 503 for @jaf\/a/);
  await expect(presenceOf("http://127.0.0.1:1", tarballOf(""))).rejects.toThrow(
    "The registry http://127.0.0.1:1 can't be reached.",
  );
});
