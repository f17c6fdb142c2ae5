import { describe, expect, it } from "vitest";
import { holdsSecret } from "../../../src/extract/secrets/index.ts";

describe("holdsSecret", () => {
  it.each([
    "my password is hunter2",
    "Password: correcthorse",
    "the PIN of my card is 4821",
    "Mein Passwort lautet Sommer2024!",
    "mon mot de passe est soleil99",
    "mi contraseña es gato_123",
    "mijn wachtwoord: fiets",
    "moje hasło to kot123",
    "мой пароль: солнце1",
    "我的密码是abc12345",
    "パスワードはneko123です",
    "비밀번호는 kim1234",
    `use sk-proj-${"aB3".repeat(10)}`,
    `ghp_${"a1B2".repeat(9)}`,
    "AKIAABCDEFGHIJKLMNOP",
    `xoxb-${"1234567890".repeat(2)}-abc`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----",
    "postgres://admin:s3cret@db.example.com/app",
    "Authorization: Bearer abcdefghijklmnopqrstuv",
    "4111 1111 1111 1111",
    "card 5500-0000-0000-0004",
    "token kJ8sD2fG7hK3lQ9wE4rT6y",
  ])("finds one in %s", (text) => expect(holdsSecret(text)).toBe(true));

  it.each([
    "I forgot my password",
    "my password manager is 1Password",
    "my password is too long",
    "Mein Passwort ist weg",
    "call me at +49 170 1234567",
    "my order 1234567890123456 is late",
    "born 1990-04-12 in Rome",
    "https://example.com/a/very/long/path/with-many-parts-2024",
    "order 550e8400-e29b-41d4-a716-446655440000",
    "commit 9b4ec6d250ed64cb8712b2d66e57d9edfbc17523",
    "I pin recipes to the wall",
    "IBAN DE89 3704 0044 0532 0130 00",
    "Donaudampfschifffahrtsgesellschaft",
    "see https://user@example.com:8080/x",
    "I have 3 cats and 12 tokens",
  ])("finds none in %s", (text) => expect(holdsSecret(text)).toBe(false));
});
