"""Checks behind claims.yaml, by import: what chapter 7 says of its tables, and of optimizers on them."""

from papers.tabular import importance_claims as importance
from papers.tabular import statistics_claims as statistics
from papers.tabular.comparison_claims import (
    bohb_begins_like_hyperband,
    bohb_ends_below_hyperband,
    bohb_ends_below_hyperband_everywhere,
    brackets_take_as_long,
    evolution_ends_below_random_everywhere,
    evolution_is_best_at_the_end,
    evolution_needs_longer_than_model_based,
    hyperband_ends_little_below_random,
    hyperband_is_fast,
    model_based_begin_like_random,
    model_based_end_below_random,
    model_based_end_differently,
    model_based_leave_random_together,
    reinforce_is_slowest,
)
from papers.tabular.parts import on, on_all
from papers.tabular.ranking_claims import (
    activations_must_differ,
    best_configurations_differ_little,
    datasets_correlate,
    datasets_correlate_less_among_the_best,
    one_learning_rate_serves_all_sets,
)
from papers.tabular.robustness_claims import (
    every_method_reaches_1e_3,
    evolution_has_a_lower_mean_than_tpe,
    evolution_is_less_robust_than_tpe,
    no_method_always_ends_alike,
    three_methods_reach_1e_3_mostly,
)

errors_spread_over_a_magnitude = on("protein", statistics.errors_spread_over_a_magnitude)
few_errors_are_below_0_3 = on("protein", statistics.few_errors_are_below_0_3)
many_errors_are_far_above_the_average = on("protein", statistics.many_errors_are_far_above_the_average)
times_vary_dramatically = on("protein", statistics.times_vary_dramatically)
times_follow_the_parameters = on("protein", statistics.times_follow_the_parameters)
noise_differs_by_configuration = on("protein", statistics.noise_differs_by_configuration)
noise_falls_with_the_epochs = on("protein", statistics.noise_falls_with_the_epochs)
correlation_rises_with_the_budget = on("protein", statistics.correlation_rises_with_the_budget)
correlation_falls_among_the_best = on("protein", statistics.correlation_falls_among_the_best)

errors_spread_everywhere = on_all(statistics.errors_spread_over_a_magnitude, "consistent")
outliers_everywhere = on_all(statistics.many_errors_are_far_above_the_average, "consistent")
times_follow_the_parameters_everywhere = on_all(statistics.times_follow_the_parameters, "consistent")
times_vary_everywhere = on_all(statistics.times_vary_dramatically, "consistent")
noise_differs_everywhere = on_all(statistics.noise_differs_by_configuration, "consistent")
noise_falls_everywhere = on_all(statistics.noise_falls_with_the_epochs, "consistent")
correlation_rises_everywhere = on_all(statistics.correlation_rises_with_the_budget, "consistent")
correlation_falls_everywhere = on_all(statistics.correlation_falls_among_the_best, "consistent")

learning_rate_is_most_important = on("protein", importance.learning_rate_is_most_important)
single_importances_are_small = on("protein", importance.single_importances_are_small)
outliers_hide_importances = on("protein", importance.outliers_hide_importances)
pairs_reach_higher_than_singles = on("protein", importance.pairs_reach_higher_than_singles)
others_matter_among_the_best = on("protein", importance.others_matter_among_the_best)
importances_on_naval = on("naval", importance.importances_are_as_on_protein)
importances_on_parkinsons = on("parkinsons", importance.importances_are_as_on_protein)
importances_on_protein = on("protein", importance.importances_are_as_on_protein)
importances_on_slice = on("slice_localization", importance.importances_are_as_on_protein)

activations_are_the_worst_flips_on_protein = on("protein", importance.activations_are_the_worst_flips)
larger_batches_hardly_matter_on_protein = on("protein", importance.larger_batches_hardly_matter)
constant_rate_is_the_worst_flip_elsewhere = on_all(
    importance.constant_rate_is_the_worst_flip, "3 of 3", ("naval", "parkinsons", "slice_localization")
)

__all__ = [
    "activations_are_the_worst_flips_on_protein",
    "activations_must_differ",
    "best_configurations_differ_little",
    "bohb_begins_like_hyperband",
    "bohb_ends_below_hyperband",
    "bohb_ends_below_hyperband_everywhere",
    "brackets_take_as_long",
    "constant_rate_is_the_worst_flip_elsewhere",
    "correlation_falls_among_the_best",
    "correlation_falls_everywhere",
    "correlation_rises_everywhere",
    "correlation_rises_with_the_budget",
    "datasets_correlate",
    "datasets_correlate_less_among_the_best",
    "errors_spread_everywhere",
    "errors_spread_over_a_magnitude",
    "every_method_reaches_1e_3",
    "evolution_ends_below_random_everywhere",
    "evolution_has_a_lower_mean_than_tpe",
    "evolution_is_best_at_the_end",
    "evolution_is_less_robust_than_tpe",
    "evolution_needs_longer_than_model_based",
    "few_errors_are_below_0_3",
    "hyperband_ends_little_below_random",
    "hyperband_is_fast",
    "importances_on_naval",
    "importances_on_parkinsons",
    "importances_on_protein",
    "importances_on_slice",
    "larger_batches_hardly_matter_on_protein",
    "learning_rate_is_most_important",
    "many_errors_are_far_above_the_average",
    "model_based_begin_like_random",
    "model_based_end_below_random",
    "model_based_end_differently",
    "model_based_leave_random_together",
    "no_method_always_ends_alike",
    "noise_differs_by_configuration",
    "noise_differs_everywhere",
    "noise_falls_everywhere",
    "noise_falls_with_the_epochs",
    "one_learning_rate_serves_all_sets",
    "others_matter_among_the_best",
    "outliers_everywhere",
    "outliers_hide_importances",
    "pairs_reach_higher_than_singles",
    "reinforce_is_slowest",
    "single_importances_are_small",
    "three_methods_reach_1e_3_mostly",
    "times_follow_the_parameters",
    "times_follow_the_parameters_everywhere",
    "times_vary_dramatically",
    "times_vary_everywhere",
]
