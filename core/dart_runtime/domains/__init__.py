"""The five domains: navigation, schedule-form, diagnosis, ETL and travel planning."""
