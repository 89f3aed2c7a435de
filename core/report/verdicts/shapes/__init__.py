"""Shapes of claims that recur: functions of the results and of the values that a row of a paper's table gives them."""
