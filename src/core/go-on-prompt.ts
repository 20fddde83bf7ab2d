/** What an agent is told that goes on where nobody says with what. */
export const GO_ON_PROMPT = "Continue where you left off.";
