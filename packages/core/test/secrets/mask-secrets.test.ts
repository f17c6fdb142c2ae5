import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets } from "../../src/index.ts";
import { maskCounted } from "../../src/secrets/mask-secrets.ts";

const key = "abcdefghij0123456789ABCDEFGHIJ0123456789";

/** `‹` and `›` stand around what has to go. */
const secrets: Readonly<Record<string, readonly string[]>> = {
  "keys of services": [
    "Incorrect API key provided: ‹sk-proj-abcDEF123456789012345678›",
    `bad credentials for ‹ghp_${key.slice(0, 36)}›, see the docs`,
    "‹AKIAIOSFODNN7EXAMPLE› has no access",
    `https://github.com/‹github_pat_${key}›/repo`,
    `Slack said invalid_auth (‹xoxb-${key}›)`,
    `token ‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_123› has expired`,
  ],
  "tokens of headers": [
    "Authorization: Bearer ‹abcdef1234567890›",
    "authorization: Basic ‹dXNlcjpwYXNzd29yZA==›",
    '{"headers":{"authorization":"Bearer ‹abc123def456›"}}',
    "x-api-key: ‹7Fh3kd92›",
  ],
  "values of names": [
    "password=‹hunter2›&user=bob",
    '{"password":"‹hunter2›","user":"bob"}',
    '{\\"token\\":\\"‹abc123›\\"}',
    "DB_PASSWORD: '‹correct-horse-9›'",
    "password = '‹correct horse›'",
    "Server=db;User Id=sa;Password=‹P@ss›;Database=x",
    "psql failed: PGPASSWORD=‹abc› psql",
    "login --password ‹hunter2› --user bob",
    "AWS_SECRET_ACCESS_KEY=‹wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY›",
    "AccountName=x;AccountKey=‹a+b/c==›;EndpointSuffix=core",
  ],
  "passwords of URLs": [
    "connect ECONNREFUSED postgres://app:‹s3cr3t›@db.internal:5432/shop?sslmode=require",
    "redis://:‹hunter2›@cache:6379/0",
    "postgres://u:‹pa/ss›@host/db failed",
    "mongodb://u:‹p,1›@h1,h2/db",
    "amqp://a:‹b›@h,amqp://c:‹d›@h2",
  ],
  "private keys": [
    "-----BEGIN RSA PRIVATE KEY-----‹\nMIIE\nabc\n›-----END RSA PRIVATE KEY----- and more",
    "-----BEGIN PRIVATE KEY-----‹\\nMIIE cut off›",
  ],
  "long random tokens": [
    `unknown session ‹${key.slice(0, 3)}Xk29PqLm4Vz8Rt1Yw6Bn3Hs5Jd7Gf0Ac›`,
    "the hash is ‹9f86d081884c7d659a2feaa0c55ad015›",
    "https://api.telegram.org/bot110201543:‹AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw›/getMe",
  ],
};

const harmless: readonly string[] = [
  "",
  "The order ABC-123 of 2026-11-22T19:35:38.123Z for alice@example.com wasn't found.",
  "order 9f8b6c1e-1b2a-4c3d-8e9f-0a1b2c3d4e5f at /usr/lib/node_modules/@jaf/core/src/engine/createConversationalProviderV2Factory.ts:12:3",
  "Bearer token is missing",
  "Invalid token: expected string, got number",
  "Unexpected token = in JSON at position 4",
  '{"password":"is too short","token":"required"}',
  "token expired; max_tokens=100 exceeded",
  "see https://example.com/a?x=1@b and http://localhost:3000/x@y",
  "connect ECONNREFUSED 10.0.0.1:5432",
  "Ein Fehler ist aufgetreten: größer als erlaubt 日本語",
];

describe("maskSecrets", () => {
  it.each(Object.entries(secrets).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))(
    "masks %s, and nothing else: %s",
    (_kind, text) => {
      expect(maskSecrets(text.replace(/[‹›]/g, ""))).toBe(text.replace(/‹[^›]*›/g, "[masked]"));
    },
  );

  it.each(harmless)("leaves alone what isn't secret: %s", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  const hostile = [
    ...'a|eyJ|://|://:@|://a:|a:b@|@:|sk-|aA1|/a|=|"|\\"| '.split("|"),
    ...["password='", 'password="a ', "token: ", "Bearer ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----"],
    ...["A1b2C3d4E5f6G7h8I9j0/", "http://a:b@c,", "--password ", "password=\n", "eyJ.", "日本"],
  ];

  const workOf = (piece: string, length: number) =>
    maskCounted(piece.repeat(length / piece.length)).work / length;

  it.each(hostile)("looks at each character a few times, of 40 kB of %j as of 4 kB", (piece) => {
    const [small, large] = [workOf(piece, 4_000), workOf(piece, 40_000)];
    expect(large).toBeLessThan(20);
    expect(large).toBeLessThan(small * 1.5);
  });

  it("looks at each character of 1 MB a few times", () => {
    for (const piece of ["eyJ", hostile.join("")]) expect(workOf(piece, 1_000_000)).toBeLessThan(20);
  });

  it("looks at each character a few times, whatever the text is made of", () => {
    const texts = fc.array(fc.constantFrom(...hostile), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join("").repeat(50);
        expect(maskCounted(text).work).toBeLessThan(20 * text.length + 100);
      }),
      { numRuns: 30 },
    );
  });

  it("keeps all that isn't masked, in its order", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), (text) => {
        const parts = maskSecrets(text).split("[masked]");
        let at = 0;
        for (const part of parts) {
          const found = text.indexOf(part, at);
          expect(found).not.toBe(-1);
          at = found + part.length;
        }
      }),
      { numRuns: 30 },
    );
  });
});
