"""The external validation: the schedule-form task on LangGraph, recovered in four ways."""
