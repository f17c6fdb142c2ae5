import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsSecret } from "../../src/text/holds-secret.ts";
import { maskSecrets } from "../../src/text/secrets.ts";
import { shownOrigin } from "../../src/text/shown-origin.ts";

const key = "abcdefghij0123456789ABCDEFGHIJ0123456789";

/** `‹` and `›` enclose what must be removed from an error message. */
const masked: Readonly<Record<string, readonly string[]>> = {
  "keys of services": [
    "Incorrect API key provided: ‹sk-proj-abcDEF123456789012345678›",
    `use ‹sk-proj-${"aB3".repeat(10)}›`,
    `bad credentials for ‹ghp_${key.slice(0, 36)}›, see the docs`,
    "‹ghp_abcdefgh12345678›",
    "‹AKIAIOSFODNN7EXAMPLE› has no access",
    "‹AKIAABCDEFGHIJKLMNOP›",
    `https://github.com/‹github_pat_${key}›/repo`,
    `Slack said invalid_auth (‹xoxb-${key}›)`,
    `‹xoxb-${"1234567890".repeat(2)}-abc›`,
    "token ‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_123› has expired",
  ],
  "tokens of headers": [
    "Authorization: Bearer ‹abcdef1234567890›",
    "authorization: Basic ‹dXNlcjpwYXNzd29yZA==›",
    "Authorization: Bearer ‹abcdefghijklmnopqrstuvwx›",
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
    "API_KEY=‹abcdef›",
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
    "-----BEGIN RSA PRIVATE KEY-----‹›",
  ],
  "long random tokens": [`unknown session ‹${key.slice(0, 3)}Xk29PqLm4Vz8Rt1Yw6Bn3Hs5Jd7Gf0Ac›`],
};

/** Masked in an error, but not a secret if a person says it. */
const maskedOnly: readonly string[] = [
  "the hash is ‹9f86d081884c7d659a2feaa0c55ad015›",
  "commit ‹9b4ec6d250ed64cb8712b2d66e57d9edfbc17523›",
  "https://api.telegram.org/bot110201543:‹AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw›/getMe",
];

/** A secret if a person says it, but in no form of an error message. */
const toldOnly: readonly string[] = [
  "my password is hunter2",
  "My password is swordfish.",
  "the password is now tiger",
  "Password: correcthorse",
  "the wifi password: swordfish",
  "the wifi password is: tiger",
  "the password for the router is tiger",
  "hunter2 is my password",
  "Swordfish is our wifi password.",
  "use tiger as my password",
  "remember my password hunter2",
  "the PIN of my card is 4821",
  "my pin's 1234",
  "My passcode’s 9876",
  "the door code is 4711",
  "my api key is abcdef",
  "the token is tok_123",
  "my social security number is 078-05-1120",
  "Mein Passwort lautet Sommer2024!",
  "mon mot de passe est soleil99",
  "mi contraseña es gato_123",
  "mijn wachtwoord: fiets",
  "moje hasło to kot123",
  "мой пароль: солнце1",
  "我的密码是abc12345",
  "パスワードはneko123です",
  "비밀번호는 kim1234",
  "IBAN DE89 3704 0044 0532 0130 00",
  "pay to GB82WEST12345698765432 please",
  "curl -u admin:sunshine1 https://api.acme.test",
  "DB_PASS=tulip99",
  "https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF1/abcdefghijklmnopqrstuvwx",
  `databricks dapi${"0a1b2c3d".repeat(4)}`,
  "seed phrase: ribbon velvet orchard candle puzzle anchor meadow silver tunnel garlic ocean drift",
  "my mnemonic: 1. ribbon 2. velvet 3. orchard 4. candle 5. puzzle 6. anchor 7. meadow 8. silver 9. tunnel 10. garlic 11. ocean 12. drift",
  "Your verification code is 482913",
  "738 204 is the OTP that I got",
  "the code for the alarm is 7733#",
  "username bob, password swordfish",
  "mi contraseña es mariposa",
  "my card number is 4111 1111 1111 1111",
  "4111111111111111",
  "card 5500-0000-0000-0004",
  "token kJ8sD2fG7hK3lQ9wE4rT6y",
];

const harmless: readonly string[] = [
  "",
  "The order ABC-123 of 2026-11-22T19:35:38.123Z for alice@example.com wasn't found.",
  "order 9f8b6c1e-1b2a-4c3d-8e9f-0a1b2c3d4e5f at /usr/lib/node_modules/@jaf/core/src/engine/createConversationalProviderV2Factory.ts:12:3",
  "Bearer token is missing",
  "Invalid token: expected string, got number",
  "Unexpected token = in JSON at position 4",
  '{"password":"is too short","token":"required"}',
  "token expired; max_tokens=100 exceeded",
  'duplicate key value violates unique constraint "pk_orders_2024_archive"',
  "see https://example.com/a?x=1@b and http://localhost:3000/x@y",
  "see https://user@example.com:8080/x",
  "connect ECONNREFUSED 10.0.0.1:5432",
  "Ein Fehler ist aufgetreten: größer als erlaubt 日本語",
  "I forgot my password",
  "my password manager is 1Password",
  "1Password is my password manager",
  "my password is too long",
  "My password is too weak.",
  "Mein Passwort ist weg",
  "What is my password?",
  "reset my password please",
  "my pin is broken",
  "my bowling pin is red",
  "I pin recipes to the wall",
  "my pink car is of 2019",
  "call me at +49 170 1234567",
  "my phone is +49 170 1234567",
  "my email is ada@example.com",
  "my node version is 20.20.2",
  "my order 1234567890123456 is late",
  "born 1990-04-12 in Rome",
  "https://example.com/a/very/long/path/with-many-parts-2024",
  "order 550e8400-e29b-41d4-a716-446655440000",
  "IBAN DE88 3704 0044 0532 0130 00",
  "Donaudampfschifffahrtsgesellschaft",
  "I have 3 cats and 12 tokens",
  "password = process.env.DB_PASSWORD",
  'password = os.environ["DB_PASSWORD"]',
  "self.password = generate_password_hash(password)",
  "DB_PASS=<your password>",
  `api_key: ${"$"}{API_KEY}`,
  "The field password: string",
  "The seed phrase has twelve words, and I keep it in a safe place with my passport and the other papers",
  "I bought a ledger and then we went to the park with our dog and had some ice cream",
  "my verification code never came",
  "the error code is 0x80070057",
  "mi contraseña es muy larga",
  "Enter username and password fields",
];

const inMessages = [...Object.values(masked).flat(), ...maskedOnly];
const plain = (text: string): string => text.replace(/[‹›]/g, "");

describe("maskSecrets", () => {
  it.each(inMessages)("masks only the marked text: %s", (text) => {
    expect(maskSecrets(plain(text))).toBe(text.replace(/‹[^›]*›/g, "[masked]"));
  });

  it.each(harmless)("leaves other text unchanged: %s", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it("keeps all unmasked text in order", () => {
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

describe("holdsSecret", () => {
  it.each([...Object.values(masked).flat(), ...toldOnly])("finds a secret in %s", (text) => {
    expect(holdsSecret(plain(text))).toBe(true);
  });

  it.each([...maskedOnly, ...harmless])("finds no secret in %s", (text) => {
    expect(holdsSecret(plain(text))).toBe(false);
  });
});

describe("a text of one megabyte", () => {
  const hostile = [
    ...'a|eyJ|://|://:@|://a:|a:b@|@:|sk-|aA1|/a|=|"|\\"| |://a:b/|- |-token|password'.split("|"),
    ...["password='", 'password="a ', "token: ", "Bearer ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----"],
    ...[
      "A1b2C3d4E5f6G7h8I9j0/",
      "http://a:b@c,",
      "--password ",
      "password=\n",
      "eyJ.",
      "日本",
      "1 ",
      "a is my ",
    ],
    ...[
      "my password is ",
      "пароль ",
      "1-",
      "wallet apple ",
      "wallet ",
      "otp ",
      "123 ",
      "DE89 3704 ",
      "curl -u ",
      "user password ",
    ],
  ];

  it.each([...hostile, hostile.join("")])("of %j is looked at without ado", (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(maskSecrets(text).length).toBeGreaterThan(0);
    expect([true, false]).toContain(holdsSecret(text));
  });
});

describe("the shown origin of a URL", () => {
  it.each([
    ["https://ada:pass-word@models.test:8443/k-e-y/v1?key=k#f", "https://models.test:8443"],
    ["https://k-e-y@models.test", "https://models.test"],
    ["/k-e-y/v1", "the address"],
  ])("has no secrets of %s", (url, shown) => {
    expect(shownOrigin(url)).toBe(shown);
  });
});
