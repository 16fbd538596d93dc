"""How the world is reached: DynamoDB, SQS, clocks, and twins of them in memory."""
