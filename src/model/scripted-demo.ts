import type { Script } from "./scripted-script.ts";

/**
 * The script that `scripted:demo` plays, for a project with a mistake in `cart.js` and a test for it: run the test, mend
 * the code, run the test again.
 */
export const FIX_SCRIPT: Script = {
  v: 1,
  turns: [
    {
      expect: { prompt: "test" },
      reply: [
        { text: "I will look at the code and run the tests." },
        { tool: "Read", input: { file_path: "cart.js" } },
        { tool: "Bash", input: { command: "bun test", description: "Run the tests" } },
      ],
    },
    {
      expect: {
        results: [
          { tool: "Read", contains: "sum + item.price", isError: false },
          { tool: "Bash", contains: "fail", isError: true },
        ],
      },
      reply: [
        { text: "`total` adds the prices but forgets the quantities. I will multiply each price by its quantity." },
        {
          tool: "Edit",
          input: {
            file_path: "cart.js",
            old_string: "sum + item.price",
            new_string: "sum + item.price * item.quantity",
          },
        },
      ],
    },
    {
      expect: { results: [{ tool: "Edit", isError: false }] },
      reply: [
        { text: "Now the tests again." },
        { tool: "Bash", input: { command: "bun test", description: "Run the tests again" } },
      ],
    },
    {
      expect: { results: [{ tool: "Bash", contains: "0 fail", isError: false }] },
      reply: [{ text: "Fixed: `total` in cart.js now multiplies each price by its quantity, and the tests pass." }],
    },
  ],
};

/** What the demo model says to every prompt that it has no script for. */
export const WELCOME_SCRIPT: Script = {
  v: 1,
  turns: [
    {
      reply: [
        {
          text: [
            "Hello! I am no language model but a script that is built into this program, so that it can be tried without a key or a network.",
            'I play one prompt, "fix the failing test", in a folder with a cart.js that forgets quantities and a cart.test.js that notices.',
            "For everything else, set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to a compatible server, and leave out --model scripted:demo.",
          ].join("\n"),
        },
      ],
    },
  ],
  repeatLast: true,
};
